"""The texts about policies, in English, Portuguese (BR) and Korean."""

from __future__ import annotations

from collections.abc import Mapping

from bot.types import Language

TEXTS: Mapping[str, Mapping[Language, str]] = {
    # whether somebody is asked: card, status and the explanation say it alike
    "autonomy.person": {"en": "a person decides", "pt": "uma pessoa decide", "ko": "사람이 결정"},
    "autonomy.person_over_limit": {
        "en": "a person decides: it is not within what may pass by itself",
        "pt": "uma pessoa decide: não está dentro do que pode passar sozinho",
        "ko": "사람이 결정: 자동 통과 범위를 벗어남",
    },
    "autonomy.by_itself": {
        "en": "passes by itself up to {limit} ({sum} per person in {window}); above, a person decides",
        "pt": "passa sozinho até {limit} ({sum} por pessoa em {window}); acima disso, uma pessoa decide",
        "ko": "{limit}까지 자동 통과 ({window} 동안 1인당 {sum}), 초과분은 사람이 결정",
    },
    "autonomy.passed": {"en": "passed by itself", "pt": "passou sozinho", "ko": "자동 통과됨"},
    # the explanation
    "policy.title": {
        "en": "What waits for a person, and what happens then",
        "pt": "O que espera por uma pessoa e o que acontece depois",
        "ko": "사람을 기다리는 항목과 그다음 처리",
    },
    "policy.cell.state": {"en": "waits as", "pt": "espera como", "ko": "상태"},
    "policy.cell.timeout": {"en": "time", "pt": "prazo", "ko": "기한"},
    "policy.cell.ladder": {"en": "then asks", "pt": "depois pede a", "ko": "다음 담당"},
    "policy.cell.end": {"en": "no answer", "pt": "sem resposta", "ko": "무응답 시"},
    "policy.cell.people": {"en": "people", "pt": "pessoas", "ko": "담당"},
    "policy.cell.autonomy": {"en": "autonomy", "pt": "autonomia", "ko": "자율성"},
    "tier.low": {"en": "low risk", "pt": "risco baixo", "ko": "낮은 위험"},
    "policy.time": {"en": "{time}", "pt": "{time}", "ko": "{time}"},
    "policy.reminders": {
        "en": "reminder after {times}",
        "pt": "lembrete após {times}",
        "ko": "알림: {times} 후",
    },
    "policy.rung": {"en": "{people} ({time})", "pt": "{people} ({time})", "ko": "{people} ({time})"},
    "policy.rung_paged": {
        "en": "{people} and the pager ({time})",
        "pt": "{people} e o pager ({time})",
        "ko": "{people} 및 호출기 ({time})",
    },
    "policy.no_ladder": {"en": "nobody else", "pt": "mais ninguém", "ko": "없음"},
    "policy.end_approve": {
        "en": "approved up to {limit} ({sum} per person in {window})",
        "pt": "aprovado até {limit} ({sum} por pessoa em {window})",
        "ko": "{limit}까지 승인 ({window} 동안 1인당 {sum})",
    },
    "policy.else_reject": {"en": "rejected above that", "pt": "acima disso, rejeitado", "ko": "초과분은 반려"},
    "policy.else_cancel": {"en": "cancelled above that", "pt": "acima disso, cancelado", "ko": "초과분은 취소"},
    "policy.alert": {"en": "{people} are alerted", "pt": "alerta para {people}", "ko": "알림 대상: {people}"},
    "policy.blocks": {
        "en": "approving stays blocked until an operator lifts it",
        "pt": "aprovar fica bloqueado até um operador liberar",
        "ko": "운영자가 해제할 때까지 승인 차단",
    },
    "policy.no_operators": {
        "en": "no operators are named",
        "pt": "nenhum operador foi indicado",
        "ko": "지정된 운영자 없음",
    },
    "policy.channel": {
        "en": "every full member of the card's channel",
        "pt": "todo membro pleno do canal do cartão",
        "ko": "카드가 있는 채널의 모든 정식 구성원",
    },
    "policy.people": {"en": "{people}", "pt": "{people}", "ko": "{people}"},
    "policy.nobody": {"en": "nobody", "pt": "ninguém", "ko": "없음"},
    "policy.no_self_approval": {
        "en": "not whoever asked for it",
        "pt": "não quem pediu",
        "ko": "요청한 사람 제외",
    },
    "policy.wait.ask": {"en": "a question from a step", "pt": "uma pergunta de uma etapa", "ko": "단계의 질문"},
    "policy.wait.manual": {
        "en": "a run that broke off",
        "pt": "uma execução interrompida",
        "ko": "중단된 실행",
    },
    "policy.wait.unposted": {
        "en": "a card that cannot be posted",
        "pt": "um cartão que não pode ser publicado",
        "ko": "올리지 못한 카드",
    },
    "policy.wait.paused": {"en": "a paused bot", "pt": "um bot pausado", "ko": "일시 중지된 봇"},
    "policy.ask_state": {"en": "running", "pt": "executando", "ko": "실행 중"},
    "policy.ask_timeout": {
        "en": "the step's own timeout; none where it sets none",
        "pt": "o prazo da própria etapa; nenhum se ela não definir",
        "ko": "단계가 정한 제한 시간, 없으면 무제한",
    },
    "policy.ask_end": {
        "en": "the step goes on without an answer",
        "pt": "a etapa continua sem resposta",
        "ko": "답 없이 단계를 계속함",
    },
    "policy.unposted_timeout": {
        "en": "the gate's whole time, counted from its opening",
        "pt": "o prazo total da revisão, contado da abertura",
        "ko": "열린 시점부터 검토의 전체 기한",
    },
    "policy.unposted_end": {
        "en": "as when nobody answers, and never approved",
        "pt": "como quando ninguém responde, e nunca aprovado",
        "ko": "무응답과 같으며 승인되지 않음",
    },
    "policy.no_timeout": {"en": "until a person acts", "pt": "até uma pessoa agir", "ko": "사람이 처리할 때까지"},
    "policy.manual_end": {
        "en": "nothing runs again by itself",
        "pt": "nada roda de novo sozinho",
        "ko": "자동으로 다시 실행되지 않음",
    },
    "policy.paused_state": {"en": "paused", "pt": "pausado", "ko": "일시 중지"},
    "policy.paused_end": {
        "en": "decisions are recorded, nothing runs",
        "pt": "decisões são registradas, nada é executado",
        "ko": "결정은 기록되고 실행은 멈춤",
    },
    "policy.source.built_in": {"en": "built in", "pt": "padrão do Placet", "ko": "기본값"},
    "policy.source.tier": {"en": "by its tier", "pt": "pelo nível de risco", "ko": "위험 등급 기준"},
    "policy.source.step": {"en": "by its step", "pt": "pela etapa", "ko": "단계 설정"},
    "policy.empty": {"en": "nobody has said", "pt": "ninguém definiu", "ko": "정해지지 않음"},
    "policy.gaps": {
        "en": "⚠️ {count} cells are empty",
        "pt": "⚠️ {count} células estão vazias",
        "ko": "⚠️ 비어 있는 칸 {count}개",
    },
    "policy.no_gaps": {"en": "No cell is empty", "pt": "Nenhuma célula está vazia", "ko": "비어 있는 칸 없음"},
    "policy.more": {
        "en": "… and {count} more; all of it: {command}",
        "pt": "… e mais {count}; tudo: {command}",
        "ko": "… 외 {count}개, 전체 보기: {command}",
    },
}
