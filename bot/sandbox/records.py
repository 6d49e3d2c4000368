"""How an account and a user group read in Slack's answers and events. Pure."""

from bot.sandbox.vocabulary import Payload
from bot.sandbox.workspace import Person, UserGroup, Workspace


def account_record(person: Person, *, has_email: bool, has_locale: bool) -> Payload:
    """A user object, as users.info answers with; the email is there only for an app that may read it."""
    profile: Payload = {
        "display_name": person.real_name,
        "real_name": person.real_name,
        "title": person.title,
        "status_text": "",
        "team": person.team_id,
    }
    if person.email and has_email:
        profile["email"] = person.email
    record: Payload = {
        "id": person.id,
        "team_id": person.team_id,
        "name": person.name,
        "real_name": person.real_name,
        "color": person.color,
        "tz": person.tz,
        "tz_offset": person.tz_offset,
        "deleted": person.deleted,
        "is_bot": person.is_bot,
        "is_app_user": False,
        "is_admin": False,
        "is_owner": False,
        "is_restricted": person.is_restricted,
        "is_ultra_restricted": person.is_ultra_restricted,
        "is_stranger": person.is_stranger,
        "is_email_confirmed": not person.is_bot,
        "profile": profile,
    }
    return {**record, "locale": person.locale} if has_locale else record


def group_record(workspace: Workspace, group: UserGroup, *, has_users: bool, has_count: bool) -> Payload:
    """A usergroup object, as usergroups.list answers with; a disabled one has a date_delete.

    Source: Slack's reference, usergroups.list: the typical response.
    """
    record: Payload = {
        "id": group.id,
        "team_id": workspace.team.id,
        "is_usergroup": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_create": group.created,
        "date_update": group.updated,
        "date_delete": group.updated if group.is_disabled else 0,
        "auto_type": None,
        "created_by": "USLACKBOT",
        "updated_by": "USLACKBOT",
        "deleted_by": "USLACKBOT" if group.is_disabled else None,
        "prefs": {"channels": [], "groups": []},
    }
    if has_users:
        record["users"] = list(group.members)
    if has_count:
        record["user_count"] = len(group.members)
    return record
