"""Every text that people read, in English, Portuguese (BR) and Korean.

Values in braces are escaped before they come here. No gender and no Korean particle hangs on a value; the person is
the subject.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.render.wording_commands import TEXTS as COMMANDS
from bot.render.wording_policy import TEXTS as POLICY
from bot.render.wording_reviews import TEXTS as REVIEWS
from bot.types import Language

TEXTS: Mapping[str, Mapping[Language, str]] = {
    **COMMANDS,
    **POLICY,
    **REVIEWS,
    # buttons
    "button.approve": {"en": "Approve", "pt": "Aprovar", "ko": "승인"},
    "button.reject": {"en": "Reject", "pt": "Rejeitar", "ko": "반려"},
    "button.send_back": {"en": "Ask for changes", "pt": "Pedir ajustes", "ko": "수정 요청"},
    "button.reply": {"en": "Reply", "pt": "Responder", "ko": "답변"},
    "button.skip": {"en": "Skip", "pt": "Pular", "ko": "건너뛰기"},
    "button.skip_to": {"en": "Skip: {outcome}", "pt": "Pular: {outcome}", "ko": "건너뛰기: {outcome}"},
    "button.read_all": {
        "en": "Read all · {count} words",
        "pt": "Ler tudo · {count} palavras",
        "ko": "전체 보기 · {count}단어",
    },
    "button.send": {"en": "Send", "pt": "Enviar", "ko": "보내기"},
    "button.close": {"en": "Close", "pt": "Fechar", "ko": "닫기"},
    "button.cancel": {"en": "Cancel", "pt": "Cancelar", "ko": "취소"},
    "select.decide": {"en": "Decide", "pt": "Decidir", "ko": "결정"},
    # the card
    "card.byline": {
        "en": "{id} · {flow} · asked by {person} · version {round}",
        "pt": "{id} · {flow} · pedido de {person} · versão {round}",
        "ko": "{id} · {flow} · {person}님 요청 · 버전 {round}",
    },
    "card.waiting": {
        "en": "For {person} or anyone here · or answer in words",
        "pt": "Para {person} ou qualquer pessoa aqui · ou responda por escrito",
        "ko": "{person}님 또는 채널 구성원 누구나 · 글로 답해도 됩니다",
    },
    "card.waiting_unseen": {
        "en": "For anyone here · or answer in words",
        "pt": "Para qualquer pessoa aqui · ou responda por escrito",
        "ko": "채널 구성원 누구나 · 글로 답해도 됩니다",
    },
    "card.empty": {"en": "(empty)", "pt": "(vazio)", "ko": "(내용 없음)"},
    "card.items": {"en": "{count} items", "pt": "{count} itens", "ko": "{count}개 항목"},
    "card.more_items": {"en": "… and {count} more", "pt": "… e mais {count}", "ko": "… 외 {count}개"},
    "card.push": {
        "en": "{flow}: a decision is needed",
        "pt": "{flow}: falta uma decisão",
        "ko": "{flow}: 결정이 필요합니다",
    },
    "card.elsewhere": {"en": "Started in {link}", "pt": "Origem: {link}", "ko": "시작된 곳: {link}"},
    "card.in_channel": {
        "en": "The decision is taken in {channel}: {link}",
        "pt": "A decisão é tomada em {channel}: {link}",
        "ko": "결정은 {channel}에서 합니다: {link}",
    },
    "link.open": {"en": "open", "pt": "abrir", "ko": "열기"},
    "link.thread": {"en": "another thread", "pt": "outra conversa", "ko": "다른 스레드"},
    # what happened, the person as the subject
    "done.approve": {"en": "{person} approved", "pt": "{person} aprovou", "ko": "{person}님 승인"},
    "done.reject": {"en": "{person} rejected", "pt": "{person} rejeitou", "ko": "{person}님 반려"},
    "done.send_back": {
        "en": "{person} asked for changes",
        "pt": "{person} pediu ajustes",
        "ko": "{person}님 수정 요청",
    },
    "done.answer": {"en": "{person} answered", "pt": "{person} respondeu", "ko": "{person}님 답변"},
    "done.skip": {"en": "{person} skipped", "pt": "{person} pulou", "ko": "{person}님 건너뜀"},
    "done.skip_to": {
        "en": "{person} skipped: {outcome}",
        "pt": "{person} pulou: {outcome}",
        "ko": "{person}님 건너뜀: {outcome}",
    },
    "done.chose": {
        "en": "{person} chose “{outcome}”",
        "pt": "{person} escolheu “{outcome}”",
        "ko": "{person}님 선택: “{outcome}”",
    },
    "result.running": {"en": "running…", "pt": "executando…", "ko": "실행 중…"},
    "result.next_version": {"en": "version {round} ↓", "pt": "versão {round} ↓", "ko": "버전 {round} ↓"},
    "result.manual": {
        "en": "It broke off while running. Nothing runs again by itself. Reference {reference}",
        "pt": "Parou no meio da execução. Nada roda de novo sozinho. Referência {reference}",
        "ko": "실행 중에 중단되었습니다. 자동으로 다시 실행되지 않습니다. 참조 {reference}",
    },
    "result.cancelled": {"en": "Cancelled", "pt": "Cancelado", "ko": "취소됨"},
    # private notes
    "late.approve": {
        "en": "{person} already approved at {time}. Nothing left to do.",
        "pt": "{person} já aprovou às {time}. Não precisa fazer nada.",
        "ko": "{time}에 {person}님이 이미 승인했습니다. 더 하실 일은 없습니다.",
    },
    "late.reject": {
        "en": "{person} already rejected at {time}. Nothing left to do.",
        "pt": "{person} já rejeitou às {time}. Não precisa fazer nada.",
        "ko": "{time}에 {person}님이 이미 반려했습니다. 더 하실 일은 없습니다.",
    },
    "late.send_back": {
        "en": "{person} already asked for changes at {time}. Nothing left to do.",
        "pt": "{person} já pediu ajustes às {time}. Não precisa fazer nada.",
        "ko": "{time}에 {person}님이 이미 수정을 요청했습니다. 더 하실 일은 없습니다.",
    },
    "late.answer": {
        "en": "{person} already answered at {time}. Nothing left to do.",
        "pt": "{person} já respondeu às {time}. Não precisa fazer nada.",
        "ko": "{time}에 {person}님이 이미 답변했습니다. 더 하실 일은 없습니다.",
    },
    "late.chose": {
        "en": "{person} already chose “{outcome}” at {time}. Nothing left to do.",
        "pt": "{person} já escolheu “{outcome}” às {time}. Não precisa fazer nada.",
        "ko": "{time}에 {person}님이 이미 선택했습니다: “{outcome}”. 더 하실 일은 없습니다.",
    },
    "late.closed": {
        "en": "This review is closed. Nothing left to do.",
        "pt": "Esta revisão está encerrada. Não precisa fazer nada.",
        "ko": "이 검토는 종료되었습니다. 더 하실 일은 없습니다.",
    },
    "note.stale": {
        "en": "This changed after you opened it. Nothing was decided; look at the current version.",
        "pt": "Isto mudou depois que você abriu. Nada foi decidido; veja a versão atual.",
        "ko": "화면을 연 뒤에 내용이 바뀌었습니다. 결정된 것은 없습니다. 현재 버전을 확인해 주세요.",
    },
    "note.unknown_review": {
        "en": "This review is not known here any more. Nothing was decided.",
        "pt": "Esta revisão não é mais conhecida aqui. Nada foi decidido.",
        "ko": "여기서는 더 이상 알 수 없는 검토입니다. 결정된 것은 없습니다.",
    },
    "note.unreadable": {
        "en": "This answer is not one of the choices. Nothing was decided.",
        "pt": "Esta resposta não está entre as opções. Nada foi decidido.",
        "ko": "선택지에 없는 답입니다. 결정된 것은 없습니다.",
    },
    "note.not_yours": {
        "en": "Only full members of this channel decide this. Nothing was decided.",
        "pt": "Só membros plenos deste canal decidem isto. Nada foi decidido.",
        "ko": "이 채널의 정식 구성원만 결정할 수 있습니다. 결정된 것은 없습니다.",
    },
    "note.not_sure_who": {
        "en": "Slack could not confirm who you are. Nothing was decided; press again.",
        "pt": "O Slack não confirmou quem você é. Nada foi decidido; toque de novo.",
        "ko": "Slack에서 사용자를 확인하지 못했습니다. 결정된 것은 없습니다. 다시 눌러 주세요.",
    },
    "note.try_again": {
        "en": "That did not go through. Nothing was decided; press again. Reference {reference}",
        "pt": "Não deu certo. Nada foi decidido; toque de novo. Referência {reference}",
        "ko": "처리되지 않았습니다. 결정된 것은 없습니다. 다시 눌러 주세요. 참조 {reference}",
    },
    # words that nobody could read
    "ask.unclear": {
        "en": "I can't tell if that is a yes. Choose one:",
        "pt": "Não ficou claro se é um sim. Escolha:",
        "ko": "승인 여부가 분명하지 않습니다. 하나를 선택해 주세요.",
    },
    "ask.which": {
        "en": "{count} decisions are open here. Use the buttons of the one you mean.",
        "pt": "Há {count} decisões abertas aqui. Use os botões da que você quer.",
        "ko": "여기에는 결정할 건이 {count}개 있습니다. 해당 건의 버튼을 눌러 주세요.",
    },
    "ask.moved": {
        "en": "The buttons are further down.",
        "pt": "Os botões estão mais abaixo.",
        "ko": "버튼은 아래쪽에 있습니다.",
    },
    # modals
    "modal.reply": {"en": "Your answer", "pt": "Sua resposta", "ko": "답변"},
    "modal.reply_hint": {
        "en": "It goes to the flow as you write it.",
        "pt": "Vai para o fluxo como você escrever.",
        "ko": "쓰신 그대로 플로에 전달됩니다.",
    },
    "modal.reply_missing": {
        "en": "Write an answer, or use Skip.",
        "pt": "Escreva uma resposta ou use Pular.",
        "ko": "답변을 쓰거나 건너뛰기를 사용해 주세요.",
    },
    "modal.read_all": {"en": "Full text", "pt": "Texto completo", "ko": "전체 내용"},
    "modal.cut": {
        "en": "The rest does not fit here.",
        "pt": "O restante não cabe aqui.",
        "ko": "나머지는 여기에 담을 수 없습니다.",
    },
    # the record in the thread
    "audit.line": {
        "en": "{id} · {what} · {time} · was {state}",
        "pt": "{id} · {what} · {time} · antes: {state}",
        "ko": "{id} · {what} · {time} · 이전 상태: {state}",
    },
    "state.pending_review": {"en": "waiting for review", "pt": "aguardando revisão", "ko": "검토 대기"},
    "state.approved": {"en": "approved", "pt": "aprovado", "ko": "승인됨"},
    "state.rejected": {"en": "rejected", "pt": "rejeitado", "ko": "반려됨"},
    "state.returned": {"en": "sent back", "pt": "devolvido", "ko": "수정 요청됨"},
    "state.answered": {"en": "answered", "pt": "respondido", "ko": "답변됨"},
    "state.executing": {"en": "running", "pt": "executando", "ko": "실행 중"},
    "state.completed": {"en": "done", "pt": "concluído", "ko": "완료"},
    "state.cancelled": {"en": "closed", "pt": "encerrado", "ko": "종료"},
    "state.manual_intervention": {"en": "needs a person", "pt": "precisa de uma pessoa", "ko": "사람의 확인이 필요함"},
    # runs
    "run.root": {
        "en": "{flow} · started by {person}",
        "pt": "{flow} · início por {person}",
        "ko": "{flow} · {person}님 시작",
    },
    "run.running": {"en": "running", "pt": "executando", "ko": "실행 중"},
    "run.waiting": {"en": "waiting for a decision", "pt": "aguardando uma decisão", "ko": "결정 대기"},
    "run.finished": {"en": "finished", "pt": "concluído", "ko": "완료"},
    "run.failed": {"en": "failed", "pt": "falhou", "ko": "실패"},
    "run.interrupted": {"en": "needs a person", "pt": "precisa de uma pessoa", "ko": "사람의 확인이 필요함"},
    "run.ended": {"en": "{flow} has finished.", "pt": "{flow} terminou.", "ko": "{flow} 실행이 끝났습니다."},
    "run.broke": {
        "en": "{flow} stopped with an error. Nothing runs again by itself. Reference {reference}",
        "pt": "{flow} parou com um erro. Nada roda de novo sozinho. Referência {reference}",
        "ko": "{flow} 실행이 오류로 멈췄습니다. 자동으로 다시 실행되지 않습니다. 참조 {reference}",
    },
    "run.broke_off": {
        "en": "{flow} was interrupted in the middle of a step. Nothing runs again by itself. Reference {reference}",
        "pt": "{flow} foi interrompido no meio de uma etapa. Nada roda de novo sozinho. Referência {reference}",
        "ko": "{flow} 실행이 단계 도중에 중단되었습니다. 자동으로 다시 실행되지 않습니다. 참조 {reference}",
    },
    "run.stuck": {
        "en": "{flow} can't go on. Nothing is lost; it is tried again when I am restarted. Reference {reference}",
        "pt": "{flow} não consegue continuar. Nada se perdeu; nova tentativa quando eu for reiniciado. Referência {reference}",
        "ko": "{flow} 실행을 계속할 수 없습니다. 잃은 것은 없으며 다시 시작되면 재시도합니다. 참조 {reference}",
    },
    "card.blocked": {
        "en": "A decision is needed in {channel}, where I can't post. Invite me there; I try again every minute.",
        "pt": "Falta uma decisão em {channel}, onde não consigo publicar. Convide-me; tento de novo a cada minuto.",
        "ko": "{channel} 채널에서 결정이 필요하지만 글을 쓸 수 없습니다. 저를 초대해 주세요. 1분마다 다시 시도합니다.",
    },
    "run.not_shown": {
        "en": "Something here could not be shown. Reference {reference}",
        "pt": "Algo aqui não pôde ser mostrado. Referência {reference}",
        "ko": "여기에 표시하지 못한 내용이 있습니다. 참조 {reference}",
    },
    # commands
    "help.title": {"en": "Flow reviews", "pt": "Flow reviews", "ko": "Flow reviews"},
    "help.commands": {
        "en": "`{p}list` the flows you can start\n`{p}start NAME key=value …` start one; it answers in its own thread\n"
        "`{p}status` what is running here\n`{p}status R-1` one review or run\n`{p}pending` what waits for a decision\n"
        "`{p}history R-1` all that happened to it\n`{p}remind R-1` · `{p}escalate R-1` · `{p}reassign R-1 @name` · `{p}cancel R-1` move it on\n"
        "`{p}policy` who is asked, for how long, and what happens then\n`{p}help` this text",
        "pt": "`{p}list` os fluxos que você pode iniciar\n`{p}start NOME chave=valor …` inicia um; ele responde na própria conversa\n"
        "`{p}status` o que está em andamento aqui\n`{p}status R-1` uma revisão ou execução\n`{p}pending` o que aguarda decisão\n"
        "`{p}history R-1` tudo o que aconteceu\n`{p}remind R-1` · `{p}escalate R-1` · `{p}reassign R-1 @nome` · `{p}cancel R-1` encaminhar\n"
        "`{p}policy` quem decide, em quanto tempo, e o que acontece depois\n`{p}help` este texto",
        "ko": "`{p}list` 시작할 수 있는 플로 목록\n`{p}start 이름 key=value …` 플로 시작, 답은 해당 스레드에 표시\n"
        "`{p}status` 여기서 진행 중인 일\n`{p}status R-1` 검토 또는 실행 하나\n`{p}pending` 결정을 기다리는 건\n"
        "`{p}history R-1` 전체 기록\n`{p}remind R-1` · `{p}escalate R-1` · `{p}reassign R-1 @이름` · `{p}cancel R-1` 다음 단계로\n"
        "`{p}policy` 누가 언제까지 결정하고 그 뒤에 어떻게 되는지\n`{p}help` 이 도움말",
    },
    "help.threads": {
        "en": "In a thread, where Slack refuses slash commands, mention me instead: {mention} status",
        "pt": "Numa conversa, onde o Slack recusa comandos com barra, mencione-me: {mention} status",
        "ko": "스레드에서는 슬래시 명령을 쓸 수 없으므로 저를 멘션해 주세요: {mention} status",
    },
    "list.title": {"en": "Flows you can start:", "pt": "Fluxos que você pode iniciar:", "ko": "시작할 수 있는 플로:"},
    "list.empty": {
        "en": "No flows are loaded. Set FLOWS_APP.",
        "pt": "Nenhum fluxo carregado. Defina FLOWS_APP.",
        "ko": "불러온 플로가 없습니다. FLOWS_APP을 설정해 주세요.",
    },
    "list.inputs": {"en": "inputs: {names}", "pt": "entradas: {names}", "ko": "입력: {names}"},
    "start.unknown": {
        "en": "There is no flow called “{name}”. Did you mean `{near}`?",
        "pt": "Não existe um fluxo chamado “{name}”. Seria `{near}`?",
        "ko": "“{name}” 플로가 없습니다. 혹시 이것인가요? `{near}`",
    },
    "start.which": {
        "en": "Which flow? For example: `{p}start {near}`",
        "pt": "Qual fluxo? Por exemplo: `{p}start {near}`",
        "ko": "어떤 플로인가요? 예: `{p}start {near}`",
    },
    "start.bad_input": {
        "en": '`{word}` is not of the form key=value. Quote values with spaces: topic="Safe AI"',
        "pt": '`{word}` não tem a forma chave=valor. Use aspas em valores com espaços: topic="IA segura"',
        "ko": '`{word}` 형식이 key=value가 아닙니다. 공백이 있는 값은 따옴표로 묶어 주세요: topic="안전한 AI"',
    },
    "start.unknown_input": {
        "en": "{flow} takes no input called “{name}”. It knows: {names}",
        "pt": "{flow} não tem a entrada “{name}”. Conhece: {names}",
        "ko": "{flow}에는 “{name}” 입력이 없습니다. 사용할 수 있는 입력: {names}",
    },
    "start.missing": {
        "en": "{flow} needs: {names}. For example: {example}",
        "pt": "{flow} precisa de: {names}. Por exemplo: {example}",
        "ko": "{flow} 실행에 필요한 입력: {names}. 예: {example}",
    },
    "start.invalid": {
        "en": "“{value}” is no valid value for {name}.",
        "pt": "“{value}” não é um valor válido para {name}.",
        "ko": "{name}에 쓸 수 없는 값입니다: “{value}”",
    },
    "start.not_here": {
        "en": "I can't post in {channel}. Invite me there, then start {flow} again.",
        "pt": "Não consigo publicar em {channel}. Convide-me e inicie {flow} de novo.",
        "ko": "{channel} 채널에 글을 쓸 수 없습니다. 저를 초대한 다음 다시 시작해 주세요: {flow}",
    },
    "command.quotes": {
        "en": "A quotation mark is not closed in: {text}",
        "pt": "Faltou fechar aspas em: {text}",
        "ko": "따옴표가 닫히지 않았습니다: {text}",
    },
    "command.unknown": {
        "en": "I don't know “{word}”. Did you mean `{p}{near}`?",
        "pt": "Não conheço “{word}”. Seria `{p}{near}`?",
        "ko": "“{word}” 명령을 모릅니다. 혹시 이것인가요? `{p}{near}`",
    },
    "status.none": {
        "en": "Nothing is running here.",
        "pt": "Nada em andamento aqui.",
        "ko": "여기서 진행 중인 일이 없습니다.",
    },
    "status.title": {"en": "Running here:", "pt": "Em andamento aqui:", "ko": "여기서 진행 중:"},
    "status.missing": {
        "en": "There is no “{id}” that you can see.",
        "pt": "Não existe “{id}” visível para você.",
        "ko": "볼 수 있는 “{id}” 항목이 없습니다.",
    },
    "status.run": {
        "en": "{id} · {flow} · {state} · started by {person} {time}",
        "pt": "{id} · {flow} · {state} · início por {person} {time}",
        "ko": "{id} · {flow} · {state} · {person}님 시작 {time}",
    },
    "status.review": {
        "en": "{id} · version {round} · {state}",
        "pt": "{id} · versão {round} · {state}",
        "ko": "{id} · 버전 {round} · {state}",
    },
    "comment.kept": {
        "en": "Only full members of this channel decide this. Your comment stays in the thread.",
        "pt": "Só membros plenos deste canal decidem isto. Seu comentário fica na conversa.",
        "ko": "이 채널의 정식 구성원만 결정할 수 있습니다. 의견은 스레드에 남습니다.",
    },
    "dm.review": {
        "en": "Your decision is needed in {channel}: {link}",
        "pt": "Sua decisão é necessária em {channel}: {link}",
        "ko": "{channel}에서 결정이 필요합니다: {link}",
    },
}
