"""The methods about accounts and the workspace: users.info, users.list, users.lookupByEmail, bots.info, team.info."""

from typing import Final

from bot.sandbox.methods.method import Args, Method, Tier, flag, text
from bot.sandbox.methods.paging import PAGE_ARGS, page_of
from bot.sandbox.methods.places import person_at
from bot.sandbox.records import account_record
from bot.sandbox.refusals import RefusedError
from bot.sandbox.seed import OTHER_BOT
from bot.sandbox.vocabulary import Payload
from bot.sandbox.workspace import Person
from bot.sandbox.world import World


def user_info(world: World, args: Args) -> Payload:
    """users.info: one account."""
    person = person_at(world.workspace, args["user"])
    return {"ok": True, "user": _shown(world, person, has_locale=bool(args.get("include_locale")))}


def list_users(world: World, args: Args) -> Payload:
    """users.list: all accounts."""
    page, paging = page_of(list(world.workspace.people.values()), args)
    has_locale = bool(args.get("include_locale"))
    members = [_shown(world, person, has_locale=has_locale) for person in page]
    return {"ok": True, "members": members, "cache_ts": int(world.now()), **paging}


def user_by_email(world: World, args: Args) -> Payload:
    """users.lookupByEmail: the active account with this address."""
    wanted = args["email"].casefold()
    for person in world.workspace.people.values():
        if person.email.casefold() == wanted and not person.deleted:
            return {"ok": True, "user": _shown(world, person, has_locale=False)}
    raise RefusedError("users_not_found")


def bot_info(world: World, args: Args) -> Payload:
    """bots.info: one app's bot."""
    app = next((one for one in (world.workspace.app, OTHER_BOT) if one.bot_id == args.get("bot")), None)
    if app is None:
        raise RefusedError("bot_not_found")
    icons = {"image_36": "https://example.test/36.png"}
    record = {"id": app.bot_id, "deleted": False, "name": app.name, "updated": 1_780_000_000, "app_id": app.id}
    return {"ok": True, "bot": {**record, "user_id": app.bot_user_id, "icons": icons}}


def team_info(world: World, args: Args) -> Payload:
    """team.info: the workspace."""
    team = world.workspace.team
    record = {"id": team.id, "name": team.name, "domain": team.domain, "url": f"{world.origin}/", "email_domain": ""}
    return {"ok": True, "team": {**record, "icon": {"image_default": True}}}


def _shown(world: World, person: Person, *, has_locale: bool) -> Payload:
    has_email = "users:read.email" in world.manifest.scopes
    return account_record(person, has_email=has_email, has_locale=has_locale)


_READ: Final = ("users:read",)

PEOPLE_METHODS: Final = (
    Method(
        name="users.info",
        handler=user_info,
        tier=Tier.FOUR,
        scopes=_READ,
        args=(text("user", required=True), flag("include_locale")),
    ),
    Method(
        name="users.list",
        handler=list_users,
        tier=Tier.TWO,
        scopes=_READ,
        args=(flag("include_locale"), *PAGE_ARGS),
    ),
    Method(
        name="users.lookupByEmail",
        handler=user_by_email,
        tier=Tier.THREE,
        scopes=("users:read.email",),
        args=(text("email", required=True),),
    ),
    Method(name="bots.info", handler=bot_info, tier=Tier.THREE, scopes=_READ, args=(text("bot"),)),
    Method(name="team.info", handler=team_info, tier=Tier.THREE, scopes=("team:read",)),
)
