"""The texts about a review's clock, owner and end, in English, Portuguese (BR) and Korean."""

from __future__ import annotations

from collections.abc import Mapping

from bot.types import Language

TEXTS: Mapping[str, Mapping[Language, str]] = {
    # who is asked, and until when
    "card.asked": {
        "en": "For {people} · or answer in words",
        "pt": "Para {people} · ou responda por escrito",
        "ko": "담당: {people} · 글로 답해도 됩니다",
    },
    "card.asked_buttons": {
        "en": "For {people} · approve with the button",
        "pt": "Para {people} · aprove pelo botão",
        "ko": "담당: {people} · 승인은 버튼으로만 가능합니다",
    },
    "card.nobody": {
        "en": "Nobody is named to decide this",
        "pt": "Ninguém foi indicado para decidir isto",
        "ko": "결정할 사람이 지정되지 않았습니다",
    },
    "card.until": {
        "en": "by {time} · no answer: {end}",
        "pt": "até {time} · sem resposta: {end}",
        "ko": "{time}까지 · 응답이 없으면: {end}",
    },
    "end.reject": {"en": "rejected", "pt": "rejeitado", "ko": "반려"},
    "end.cancel": {"en": "cancelled", "pt": "cancelado", "ko": "취소"},
    "end.approve": {"en": "approved by policy", "pt": "aprovado pela política", "ko": "정책에 따라 승인"},
    "end.moves": {"en": "moves to {people}", "pt": "passa para {people}", "ko": "다음 담당: {people}"},
    "tier.medium": {"en": "medium risk", "pt": "risco médio", "ko": "중간 위험"},
    "tier.high": {"en": "high risk", "pt": "risco alto", "ko": "높은 위험"},
    "tier.critical": {"en": "critical risk", "pt": "risco crítico", "ko": "매우 높은 위험"},
    "card.gate_blocked": {
        "en": "🔒 Approving is blocked since nobody answered an earlier review here. An operator lifts it.",
        "pt": "🔒 Aprovar está bloqueado desde que ninguém respondeu a uma revisão anterior. Um operador libera.",
        "ko": "🔒 이전 검토에 아무도 응답하지 않아 승인이 차단되었습니다. 운영자가 해제합니다.",
    },
    "card.last_round": {
        "en": "Sent back too often: it can only be approved or rejected now",
        "pt": "Devolvido vezes demais: agora só dá para aprovar ou rejeitar",
        "ko": "수정 요청 횟수를 넘었습니다. 이제 승인 또는 반려만 가능합니다",
    },
    "card.replaced": {
        "en": "What this card showed has changed since. Nothing of it runs; the new card asks again.",
        "pt": "O conteúdo deste cartão mudou. Nada dele é executado; o novo cartão pergunta de novo.",
        "ko": "이 카드의 내용이 바뀌었습니다. 이 내용은 실행되지 않으며 새 카드에서 다시 묻습니다.",
    },
    # how it ended without a person, or by a person who called it off
    "done.auto_rejected": {
        "en": "Nobody answered in time: rejected",
        "pt": "Ninguém respondeu a tempo: rejeitado",
        "ko": "제때 응답이 없어 반려되었습니다",
    },
    "done.auto_approved": {
        "en": "Nobody answered in time: approved by policy ({reason})",
        "pt": "Ninguém respondeu a tempo: aprovado pela política ({reason})",
        "ko": "제때 응답이 없어 정책에 따라 승인되었습니다 ({reason})",
    },
    "done.auto": {
        "en": "Approved by policy, without a review ({reason})",
        "pt": "Aprovado pela política, sem revisão ({reason})",
        "ko": "검토 없이 정책에 따라 승인되었습니다 ({reason})",
    },
    "done.never_posted": {
        "en": "Its card could not be posted in time: {end}",
        "pt": "O cartão não pôde ser publicado a tempo: {end}",
        "ko": "카드를 제때 올리지 못했습니다: {end}",
    },
    "done.lapsed": {
        "en": "Nobody answered in time: cancelled",
        "pt": "Ninguém respondeu a tempo: cancelado",
        "ko": "제때 응답이 없어 취소되었습니다",
    },
    "done.cancelled": {"en": "{person} cancelled this", "pt": "{person} cancelou isto", "ko": "{person}님 취소"},
    "late.expired": {
        "en": "This ended at {time}: {what}.",
        "pt": "Isto terminou às {time}: {what}.",
        "ko": "{time}에 종료되었습니다: {what}.",
    },
    "button.ask_again": {"en": "Ask again", "pt": "Pedir de novo", "ko": "다시 요청"},
    # why somebody may not decide
    "note.not_asked": {
        "en": "{people} decide this. Nothing was decided.",
        "pt": "Quem decide isto: {people}. Nada foi decidido.",
        "ko": "결정할 담당: {people}. 결정된 것은 없습니다.",
    },
    "note.passed_over": {
        "en": "This has moved on to {people}. Nothing was decided.",
        "pt": "Isto já passou para {people}. Nada foi decidido.",
        "ko": "담당이 바뀌었습니다. 현재 담당: {people}. 결정된 것은 없습니다.",
    },
    "note.own_request": {
        "en": "You asked for this yourself, so somebody else approves it. Nothing was decided.",
        "pt": "Foi você que pediu isto; outra pessoa aprova. Nada foi decidido.",
        "ko": "직접 요청하신 건이므로 다른 사람이 승인해야 합니다. 결정된 것은 없습니다.",
    },
    "note.blocked": {
        "en": "Approving is blocked here until an operator lifts it. Nothing was decided.",
        "pt": "Aprovar está bloqueado aqui até um operador liberar. Nada foi decidido.",
        "ko": "운영자가 해제할 때까지 승인이 차단되어 있습니다. 결정된 것은 없습니다.",
    },
    "note.loop_limit": {
        "en": "This went back too often; approve or reject it. Nothing was decided.",
        "pt": "Isto voltou vezes demais; aprove ou rejeite. Nada foi decidido.",
        "ko": "수정 요청 횟수를 넘었습니다. 승인 또는 반려해 주세요. 결정된 것은 없습니다.",
    },
    "note.changed": {
        "en": "What would run is no longer what this card shows. Nothing was decided; a new card asks again.",
        "pt": "O que seria executado não é mais o que este cartão mostra. Nada foi decidido; um novo cartão pergunta.",
        "ko": "실행될 내용이 카드에 표시된 것과 다릅니다. 결정된 것은 없으며 새 카드에서 다시 묻습니다.",
    },
    "comment.kept_for": {
        "en": "{people} decide this. Your comment stays in the thread.",
        "pt": "Quem decide isto: {people}. Seu comentário fica na conversa.",
        "ko": "결정할 담당: {people}. 의견은 스레드에 남습니다.",
    },
    # what the clock tells
    "told.reminder": {
        "en": "{people}: {id} waits for a decision until {time}",
        "pt": "{people}: {id} aguarda uma decisão até {time}",
        "ko": "{people}: {id} 건이 {time}까지 결정을 기다립니다",
    },
    "told.moved": {
        "en": "{people}: {id} is yours to decide now, until {time}",
        "pt": "{people}: agora a decisão de {id} é sua, até {time}",
        "ko": "{people}: 이제 {id} 결정을 맡습니다. 기한 {time}",
    },
    "told.moved_unposted": {
        "en": "{people}: {id} is yours to decide now",
        "pt": "{people}: agora a decisão de {id} é sua",
        "ko": "{people}: 이제 {id} 결정을 맡습니다",
    },
    "told.passed_over": {
        "en": "It has moved on from {people}: {why}",
        "pt": "Deixou de ser de {people}: {why}",
        "ko": "이전 담당 {people}: {why}",
    },
    "why.timeout": {"en": "no answer in time", "pt": "sem resposta a tempo", "ko": "제때 응답 없음"},
    "why.manual": {"en": "moved on by {person}", "pt": "encaminhado por {person}", "ko": "{person}님이 넘김"},
    "why.loop_limit": {"en": "sent back too often", "pt": "devolvido vezes demais", "ko": "수정 요청 횟수 초과"},
    "why.never_posted": {
        "en": "its card could not be posted",
        "pt": "o cartão não pôde ser publicado",
        "ko": "카드를 올리지 못함",
    },
    "told.run_ends": {"en": "The run ends here.", "pt": "A execução termina aqui.", "ko": "실행은 여기서 끝납니다."},
    "told.blocked": {
        "en": "🔒 Approving “{gate}” is blocked now, until an operator lifts it: {command}",
        "pt": "🔒 Aprovar “{gate}” está bloqueado agora, até um operador liberar: {command}",
        "ko": "🔒 운영자가 해제할 때까지 승인이 차단됩니다: “{gate}”. 해제: {command}",
    },
    "told.digest": {
        "en": "{count} reviews here have moved on or wait for a decision:",
        "pt": "{count} revisões aqui mudaram de responsável ou aguardam decisão:",
        "ko": "이 채널에서 담당이 바뀌었거나 결정을 기다리는 검토 {count}건:",
    },
    "told.digest_line": {
        "en": "{id} · {flow} · for {people} · until {time}",
        "pt": "{id} · {flow} · para {people} · até {time}",
        "ko": "{id} · {flow} · 담당 {people} · 기한 {time}",
    },
    "told.asked_dm": {
        "en": "{id} · {flow}: your decision is needed until {time}. It stands in {channel}: {link}",
        "pt": "{id} · {flow}: sua decisão é necessária até {time}. Está em {channel}: {link}",
        "ko": "{id} · {flow}: {time}까지 결정이 필요합니다. 위치 {channel}: {link}",
    },
    "told.moved_on": {
        "en": "{id} · {flow}: moved on to {people}",
        "pt": "{id} · {flow}: passou para {people}",
        "ko": "{id} · {flow}: 담당 변경: {people}",
    },
    "told.asked_dm_over": {
        "en": "{id} · {flow}: {what}",
        "pt": "{id} · {flow}: {what}",
        "ko": "{id} · {flow}: {what}",
    },
    # to the operators
    "operators.unposted": {
        "en": "⚠️ The card of {id} ({flow}) could not be posted in {channel} after {count} tries. Invite me there, or "
        "cancel it: {command}. Without a card it ends by itself at {time}.",
        "pt": "⚠️ O cartão de {id} ({flow}) não pôde ser publicado em {channel} após {count} tentativas. Convide-me ou "
        "cancele: {command}. Sem cartão, termina sozinho às {time}.",
        "ko": "⚠️ {id} ({flow}) 카드를 {channel} 채널에 {count}회 시도했으나 올리지 못했습니다. 저를 초대하거나 "
        "취소해 주세요: {command}. 카드가 없으면 {time}에 자동으로 종료됩니다.",
    },
    "operators.alerts": {
        "en": "🚨 {count} reviews ended without an answer:",
        "pt": "🚨 {count} revisões terminaram sem resposta:",
        "ko": "🚨 응답 없이 종료된 검토 {count}건:",
    },
    "operators.lost": {
        "en": "⚠️ I can't post in {channel} any more, where {id} ({flow}) runs. It goes on without lines there.",
        "pt": "⚠️ Não consigo mais publicar em {channel}, onde {id} ({flow}) está em andamento. Continua sem avisos lá.",
        "ko": "⚠️ {id} ({flow}) 실행이 있는 {channel} 채널에 글을 쓸 수 없습니다. 실행은 계속되며 채널에는 표시되지 않습니다.",
    },
    "page.text": {
        "en": "{id} ({flow}, {tier}) needs a decision.",
        "pt": "{id} ({flow}, {tier}) precisa de uma decisão.",
        "ko": "{id} ({flow}, {tier}) 결정이 필요합니다.",
    },
    "operators.not_paged": {
        "en": "🚨 The pager did not take the call for {id} ({flow}). It still needs a decision.",
        "pt": "🚨 O pager não aceitou a chamada para {id} ({flow}). Ainda falta uma decisão.",
        "ko": "🚨 {id} ({flow}) 호출이 전달되지 않았습니다. 아직 결정이 필요합니다.",
    },
    "operators.alert": {
        "en": "🚨 {id} ({flow}, {tier}): {what}",
        "pt": "🚨 {id} ({flow}, {tier}): {what}",
        "ko": "🚨 {id} ({flow}, {tier}): {what}",
    },
    # why it is rejected
    "modal.reason": {"en": "Why not?", "pt": "Por que não?", "ko": "반려 사유"},
    "modal.reason_code": {"en": "Reason", "pt": "Motivo", "ko": "사유"},
    "modal.reason_text": {"en": "In your words", "pt": "Com suas palavras", "ko": "설명"},
    "modal.reason_hint": {
        "en": "Optional. It goes to the flow with the decision.",
        "pt": "Opcional. Vai para o fluxo com a decisão.",
        "ko": "선택 사항입니다. 결정과 함께 플로에 전달됩니다.",
    },
    "modal.reason_missing": {"en": "Choose a reason.", "pt": "Escolha um motivo.", "ko": "사유를 선택해 주세요."},
    "reason.wrong_amount": {"en": "Wrong amount", "pt": "Valor errado", "ko": "금액 오류"},
    "reason.missing_information": {"en": "Something is missing", "pt": "Faltam informações", "ko": "정보 부족"},
    "reason.not_allowed": {"en": "Not allowed", "pt": "Não permitido", "ko": "허용되지 않음"},
    "reason.duplicate": {"en": "A duplicate", "pt": "Duplicado", "ko": "중복"},
    "reason.wrong_content": {"en": "Wrong content", "pt": "Conteúdo errado", "ko": "내용 오류"},
    "reason.other": {"en": "Something else", "pt": "Outro motivo", "ko": "기타"},
    # states that people read
    "state.auto_rejected": {"en": "expired, rejected", "pt": "expirado, rejeitado", "ko": "기한 만료, 반려됨"},
    "state.auto_approved": {"en": "approved by policy", "pt": "aprovado pela política", "ko": "정책에 따라 승인됨"},
    "state.escalated": {"en": "moved on", "pt": "encaminhado", "ko": "담당 변경"},
    "state.failed": {"en": "failed", "pt": "falhou", "ko": "실패"},
    "state.rollback_pending": {"en": "being undone", "pt": "sendo desfeito", "ko": "되돌리는 중"},
    "state.rolled_back": {"en": "undone", "pt": "desfeito", "ko": "되돌림"},
    "run.cancelled": {"en": "cancelled", "pt": "cancelado", "ko": "취소됨"},
}
