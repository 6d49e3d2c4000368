"""Who vouches for the record: the Ed25519 key that signs its head, and where it is kept."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from bot.errors import BotError
from bot.settings import audit_seed

_SEED_BYTES = 32


class AuditKeyUnusable(BotError):
    """The key that signs the record cannot be used as it stands. Trying again cannot help; the mend is said."""

    def __init__(self, *, source: str, why: str, mend: str) -> None:
        self.source, self.why, self.mend = source, why, mend
        super().__init__(f"{source} {why}. {mend}")


class Signer:
    """A private key. Nothing gives it out again: it signs, and says its public half."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = self._key.public_key().public_bytes_raw().hex()
        """The public half, as 64 hex characters."""

    def sign(self, data: bytes) -> bytes:
        """The 64 bytes that only this key can make of `data`."""
        return self._key.sign(data)


def load(audit_key: str | None, beside: Path) -> Signer:
    """The signer of the database at `beside`: AUDIT_KEY where it is set, else the file beside it, made when missing.

    Raises AuditKeyUnusable for a key that is none, and for a file that other accounts can read.
    """
    if audit_key:
        return _from_setting(audit_key)
    path = key_file(beside)
    if not path.exists():
        _make(path)
    return Signer(_read(path))


def known_public_key(audit_key: str | None, beside: Path) -> str | None:
    """The public half of the key that `load` would give, or None where there is no key yet; nothing is made.

    Raises AuditKeyUnusable, as `load` does.
    """
    if audit_key:
        return _from_setting(audit_key).public_key
    path = key_file(beside)
    return Signer(_read(path)).public_key if path.exists() else None


def key_file(database: Path) -> Path:
    """Where the key of a database is kept when AUDIT_KEY is not set."""
    return database.with_name(f"{database.name}.audit-key")


def verify(public_key: str, data: bytes, signature: bytes) -> bool:
    """True when the private half of `public_key` (64 hex characters) made this signature of `data`."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _from_setting(audit_key: str) -> Signer:
    seed = audit_seed(audit_key)
    if seed is None:
        raise AuditKeyUnusable(
            source="AUDIT_KEY",
            why="is no key: it should be 32 bytes, as 64 hex characters or as base64",
            mend="Make one with: openssl rand -hex 32",
        )
    return Signer(seed)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read(1024)
    except OSError as error:
        raise AuditKeyUnusable(
            source=str(path), why=f"cannot be read ({error.strerror})", mend="Give it to the account that runs Placet."
        ) from error
    if mode & 0o077:
        raise AuditKeyUnusable(
            source=str(path),
            why=f"can be used by other accounts (mode {mode:04o}), so its signatures prove nothing",
            mend=f"Run: chmod 600 '{path}'. If somebody may have read it, move it away: a new key is made, "
            "and the record says so.",
        )
    seed = audit_seed(content.decode("ascii", "replace").strip())
    if seed is None:
        raise AuditKeyUnusable(
            source=str(path),
            why="holds no key: it should be 32 bytes, as 64 hex characters",
            mend="Put the right one back, or move it away: a new key is made, and the record says so.",
        )
    return seed


def _make(path: Path) -> None:
    """A new key at `path`, whole or not at all; where somebody else was faster, theirs stays."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(handle, f"{secrets.token_hex(_SEED_BYTES)}\n".encode("ascii"))
            os.fsync(handle)
        finally:
            os.close(handle)
        try:
            # A link, not a rename: it never replaces a key that another process has just made.
            os.link(draft, path)
        except FileExistsError:
            return
        finally:
            os.unlink(draft)
        _keep_folder(path.parent)
    except OSError as error:
        raise AuditKeyUnusable(
            source=str(path), why=f"cannot be made ({error.strerror})", mend="Set AUDIT_KEY, or mend the folder."
        ) from error


def _keep_folder(folder: Path) -> None:
    """Without it, a power cut could take the new name away after rows were signed with its key."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
