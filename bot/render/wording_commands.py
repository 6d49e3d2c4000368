"""The texts that commands about reviews answer with, in English, Portuguese (BR) and Korean."""

from __future__ import annotations

from collections.abc import Mapping

from bot.types import Language

TEXTS: Mapping[str, Mapping[Language, str]] = {
    # lists of reviews, one of them, its history
    "pending.none": {
        "en": "Nothing waits here that you can see.",
        "pt": "Nada aguardando aqui que você possa ver.",
        "ko": "볼 수 있는 대기 건이 없습니다.",
    },
    "pending.title": {"en": "Waiting for a decision:", "pt": "Aguardando decisão:", "ko": "결정을 기다리는 건:"},
    "show.asked_by": {
        "en": "asked by {person} · {time}",
        "pt": "pedido de {person} · {time}",
        "ko": "{person}님 요청 · {time}",
    },
    "show.policy": {
        "en": "gate {gate} · {tier} · {autonomy}",
        "pt": "etapa {gate} · {tier} · {autonomy}",
        "ko": "단계 {gate} · {tier} · {autonomy}",
    },
    "show.channel": {"en": "everybody in the channel", "pt": "qualquer pessoa do canal", "ko": "채널 구성원 누구나"},
    "show.waits_for": {"en": "waits for {people}", "pt": "aguarda {people}", "ko": "담당: {people}"},
    "show.until": {"en": "until {time}", "pt": "até {time}", "ko": "{time}까지"},
    "show.unposted": {
        "en": "its card is not posted yet · tries: {count}",
        "pt": "o cartão ainda não foi publicado · tentativas: {count}",
        "ko": "카드를 아직 올리지 못함 · 시도 {count}회",
    },
    "show.passed_over": {
        "en": "was asked before: {people}",
        "pt": "já foi pedido a: {people}",
        "ko": "이전 담당: {people}",
    },
    "history.title": {
        "en": "{id} · {flow} · its history",
        "pt": "{id} · {flow} · histórico",
        "ko": "{id} · {flow} · 기록",
    },
    "history.earlier": {
        "en": "… {count} earlier lines",
        "pt": "… {count} linhas anteriores",
        "ko": "… 이전 기록 {count}줄",
    },
    "history.system": {"en": "by the bot", "pt": "pelo bot", "ko": "봇"},
    "history.asked": {"en": "asked: {people}", "pt": "pedido a: {people}", "ko": "담당: {people}"},
    "history.passed_over": {
        "en": "was asked before: {people}",
        "pt": "antes com {people}",
        "ko": "이전 담당: {people}",
    },
    "history.opened": {"en": "opened", "pt": "aberta", "ko": "열림"},
    "history.posted": {"en": "card posted", "pt": "cartão publicado", "ko": "카드 게시"},
    "history.decided": {"en": "decided", "pt": "decidida", "ko": "결정"},
    "history.auto_approved": {"en": "approved by policy", "pt": "aprovada pela política", "ko": "정책에 따라 승인"},
    "history.auto_rejected": {"en": "rejected by policy", "pt": "rejeitada pela política", "ko": "정책에 따라 반려"},
    "history.lapsed": {"en": "ended without an answer", "pt": "terminou sem resposta", "ko": "응답 없이 종료"},
    "history.cancelled": {"en": "cancelled", "pt": "cancelada", "ko": "취소"},
    "history.escalated": {"en": "moved on", "pt": "encaminhada", "ko": "담당 변경"},
    "history.assigned": {"en": "assigned", "pt": "atribuída", "ko": "담당 지정"},
    "history.reassigned": {"en": "handed over", "pt": "repassada", "ko": "담당 넘김"},
    "history.reminded": {"en": "reminded", "pt": "lembrete", "ko": "알림"},
    "history.payload_changed": {"en": "the content changed", "pt": "o conteúdo mudou", "ko": "내용 변경"},
    "history.started": {"en": "execution started", "pt": "execução iniciada", "ko": "실행 시작"},
    "history.completed": {"en": "done", "pt": "concluída", "ko": "완료"},
    "history.closed": {"en": "closed", "pt": "encerrada", "ko": "종료"},
    "history.failed": {"en": "execution failed", "pt": "execução falhou", "ko": "실행 실패"},
    "history.handed_over": {"en": "handed to a person", "pt": "entregue a uma pessoa", "ko": "사람에게 인계"},
    "history.rollback_started": {"en": "being undone", "pt": "desfazendo", "ko": "되돌리는 중"},
    "history.rolled_back": {"en": "undone", "pt": "desfeita", "ko": "되돌림"},
    "history.rollback_failed": {"en": "could not be undone", "pt": "não pôde ser desfeita", "ko": "되돌리지 못함"},
    "history.retried": {"en": "tried again", "pt": "nova tentativa", "ko": "다시 시도"},
    "history.marked_done": {"en": "marked as done", "pt": "marcada como concluída", "ko": "완료로 표시"},
    "history.lifted": {"en": "block lifted", "pt": "bloqueio liberado", "ko": "차단 해제"},
    "history.denied": {"en": "refused", "pt": "recusada", "ko": "거부"},
    "history.asked_again": {"en": "asked again", "pt": "pedida de novo", "ko": "다시 요청"},
    # why somebody was refused: by who they are, then what they tried
    "denied.bot": {"en": "an app", "pt": "é um app", "ko": "앱"},
    "denied.guest": {"en": "a guest", "pt": "conta de convidado", "ko": "게스트"},
    "denied.stranger": {"en": "from another company", "pt": "de outra empresa", "ko": "다른 회사 사용자"},
    "denied.deleted": {"en": "a deactivated account", "pt": "conta desativada", "ko": "비활성화된 계정"},
    "denied.not_member": {"en": "not in the channel", "pt": "fora do canal", "ko": "채널 구성원이 아님"},
    "denied.unknown_person": {
        "en": "Slack did not say who it was",
        "pt": "o Slack não informou quem era",
        "ko": "Slack에서 사용자를 확인하지 못함",
    },
    "denied.wrong_card": {
        "en": "not this review's card",
        "pt": "não é o cartão desta revisão",
        "ko": "다른 카드에서 누름",
    },
    "denied.not_asked": {"en": "is not asked", "pt": "não faz parte de quem decide", "ko": "담당이 아님"},
    "denied.passed_over": {"en": "was asked before", "pt": "decidia antes", "ko": "이전 담당"},
    "denied.own_request": {"en": "asked for it", "pt": "fez o próprio pedido", "ko": "본인 요청"},
    "denied.blocked": {"en": "approving is blocked", "pt": "aprovar está bloqueado", "ko": "승인 차단됨"},
    "denied.loop_limit": {"en": "sent back too often", "pt": "devolvido vezes demais", "ko": "수정 요청 횟수 초과"},
    "denied.remind": {"en": "tried to remind", "pt": "tentou lembrar", "ko": "알림 시도"},
    "denied.escalate": {"en": "tried to move it on", "pt": "tentou encaminhar", "ko": "다음 담당으로 넘기기 시도"},
    "denied.reassign": {"en": "tried to hand it over", "pt": "tentou repassar", "ko": "담당 변경 시도"},
    "denied.cancel": {"en": "tried to cancel", "pt": "tentou cancelar", "ko": "취소 시도"},
    "denied.lift": {"en": "tried to lift the block", "pt": "tentou liberar o bloqueio", "ko": "차단 해제 시도"},
    "denied.ask_again": {"en": "tried to ask again", "pt": "tentou pedir de novo", "ko": "다시 요청 시도"},
    "denied.halt": {"en": "tried to pause everything", "pt": "tentou pausar tudo", "ko": "전체 일시 중지 시도"},
    # what a command did, or why not
    "manage.reminded": {"en": "{id}: reminded.", "pt": "{id}: lembrete enviado.", "ko": "{id}: 알림을 보냈습니다."},
    "manage.escalated": {
        "en": "{id} has moved on to {people}.",
        "pt": "{id} passou para {people}.",
        "ko": "{id} 담당 변경: {people}",
    },
    "manage.no_rung": {
        "en": "{id} is at the end of its ladder; there is nobody further to ask.",
        "pt": "{id} está no fim da escada; não há mais a quem pedir.",
        "ko": "{id} 건은 더 넘길 담당이 없습니다.",
    },
    "manage.reassigned": {
        "en": "{id} is for {people} now.",
        "pt": "{id} agora é de {people}.",
        "ko": "{id} 담당 변경: {people}",
    },
    "manage.not_assignable": {
        "en": "{id} can't be handed to {people}. Above the low tier it goes to people whom its policy names, or an operator hands it over.",
        "pt": "{id} não pode ser passado para {people}. Acima do nível baixo, só para quem a política indica, ou por um operador.",
        "ko": "{id} 건을 넘길 수 없습니다: {people}. 낮은 등급보다 위에서는 정책에 지정된 사람에게만, 또는 운영자가 넘길 수 있습니다.",
    },
    "manage.cancelled": {
        "en": "{id} is cancelled. Its flow does not go on.",
        "pt": "{id} foi cancelado. O fluxo não continua.",
        "ko": "{id} 건을 취소했습니다. 플로는 진행되지 않습니다.",
    },
    "manage.lifted": {
        "en": "The block since {id} is lifted.",
        "pt": "O bloqueio desde {id} foi liberado.",
        "ko": "{id} 이후의 차단을 해제했습니다.",
    },
    "manage.not_blocked": {
        "en": "{id} blocks nothing.",
        "pt": "{id} não bloqueia nada.",
        "ko": "{id} 건은 아무것도 차단하지 않습니다.",
    },
    "manage.again": {
        "en": "{id} is asked again, from the start, in its thread.",
        "pt": "{id} será pedido de novo, do início, na mesma conversa.",
        "ko": "{id} 건을 같은 스레드에서 처음부터 다시 요청합니다.",
    },
    "manage.again_already": {
        "en": "{id} has been asked again already.",
        "pt": "{id} já foi pedido de novo.",
        "ko": "{id} 건은 이미 다시 요청되었습니다.",
    },
    "manage.was_approved": {
        "en": "{id} was approved by policy; there is nothing to ask again.",
        "pt": "{id} foi aprovado pela política; não há o que pedir de novo.",
        "ko": "{id} 건은 정책에 따라 승인되어 다시 요청할 것이 없습니다.",
    },
    "manage.not_posted": {
        "en": "The card of {id} is not posted yet. Nobody was reminded.",
        "pt": "O cartão de {id} ainda não foi publicado. Ninguém foi lembrado.",
        "ko": "{id} 카드를 아직 올리지 못했습니다. 아무에게도 알리지 않았습니다.",
    },
    "manage.not_expired": {
        "en": "{id} did not expire; only what nobody answered is asked again.",
        "pt": "{id} não expirou; só se pede de novo o que ficou sem resposta.",
        "ko": "{id} 건은 만료되지 않았습니다. 응답이 없었던 건만 다시 요청할 수 있습니다.",
    },
    "manage.not_open": {
        "en": "{id} does not wait for anybody.",
        "pt": "{id} não aguarda ninguém.",
        "ko": "{id} 건은 대기 중이 아닙니다.",
    },
    "manage.halted": {
        "en": "Everything is paused: no flow starts or goes on. Decisions are still taken. Go on with {command}",
        "pt": "Tudo pausado: nenhum fluxo começa nem continua. Decisões ainda são registradas. Continue com {command}",
        "ko": "모두 일시 중지했습니다. 플로는 시작되거나 진행되지 않습니다. 결정은 계속 기록됩니다. 계속하려면 {command}",
    },
    "manage.already_halted": {
        "en": "Everything is paused already.",
        "pt": "Tudo já está pausado.",
        "ko": "이미 일시 중지되어 있습니다.",
    },
    "manage.continued": {"en": "Flows go on.", "pt": "Os fluxos continuam.", "ko": "플로를 계속 진행합니다."},
    "manage.not_halted": {"en": "Nothing is paused.", "pt": "Nada está pausado.", "ko": "일시 중지된 것이 없습니다."},
    "manage.not_allowed": {
        "en": "That is for {roles}. Nothing was done.",
        "pt": "Isso cabe a: {roles}. Nada foi feito.",
        "ko": "할 수 있는 사람: {roles}. 변경된 것은 없습니다.",
    },
    "manage.no_operators": {
        "en": "No operators are named. Add `operators:` to reviews.yml, or use the command line.",
        "pt": "Nenhum operador indicado. Adicione `operators:` ao reviews.yml ou use a linha de comando.",
        "ko": "운영자가 지정되지 않았습니다. reviews.yml에 `operators:`를 추가하거나 명령줄을 사용해 주세요.",
    },
    "manage.nobody_called": {
        "en": "I find nobody called “{name}”.",
        "pt": "Não encontrei ninguém chamado “{name}”.",
        "ko": "“{name}” 사용자를 찾지 못했습니다.",
    },
    "manage.not_sure": {
        "en": "Slack could not confirm who may do this. Nothing was done; try again.",
        "pt": "O Slack não confirmou quem pode fazer isto. Nada foi feito; tente de novo.",
        "ko": "Slack에서 권한을 확인하지 못했습니다. 변경된 것은 없습니다. 다시 시도해 주세요.",
    },
    "manage.which": {
        "en": "Which review? For example: `{p}{verb} R-7`",
        "pt": "Qual revisão? Por exemplo: `{p}{verb} R-7`",
        "ko": "어떤 검토인가요? 예: `{p}{verb} R-7`",
    },
    "manage.write_reassign": {
        "en": "Write it like this: `{p}reassign R-7 @name`",
        "pt": "Escreva assim: `{p}reassign R-7 @nome`",
        "ko": "이렇게 써 주세요: `{p}reassign R-7 @이름`",
    },
    "manage.write_alone": {
        "en": "Write only `{p}{verb}`",
        "pt": "Escreva só `{p}{verb}`",
        "ko": "이것만 써 주세요: `{p}{verb}`",
    },
    "role.requester": {"en": "whoever asked for it", "pt": "quem pediu", "ko": "요청한 사람"},
    "role.asked": {"en": "whoever is asked", "pt": "quem decide", "ko": "담당자"},
    "role.operator": {"en": "operators", "pt": "operadores", "ko": "운영자"},
}
