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
        "en": "gate {gate} · tier {tier} · {autonomy}",
        "pt": "etapa {gate} · nível {tier} · {autonomy}",
        "ko": "단계 {gate} · 위험 등급 {tier} · {autonomy}",
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
        "en": "passed over: {people}",
        "pt": "sem resposta de: {people}",
        "ko": "응답 없음: {people}",
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
