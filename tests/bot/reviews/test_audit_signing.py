"""Where the key comes from, and what it must not be."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

import pytest

from bot.reviews.signing import AuditKeyUnusable, Signer, key_file, known_public_key, load, verify

SEED = bytes(range(32))
# RFC 8032, section 7.1, test 1: an empty message.
RFC_SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
RFC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
RFC_SIGNATURE = (
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
    "d25bf5f0595bbe24655141438e7a100b"
)
ODD = bytes.fromhex("fbff") * 16


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "placet.db"


def test_a_signature_is_ed25519s() -> None:
    signer = Signer(RFC_SEED)

    assert (signer.public_key, signer.sign(b"").hex()) == (RFC_KEY, RFC_SIGNATURE)
    assert verify(RFC_KEY, b"", bytes.fromhex(RFC_SIGNATURE))


@pytest.mark.parametrize(
    ("public_key", "data", "signature"),
    [
        (RFC_KEY, b"x", bytes.fromhex(RFC_SIGNATURE)),
        (RFC_KEY, b"", bytes(64)),
        (RFC_KEY, b"", b""),
        (Signer(SEED).public_key, b"", bytes.fromhex(RFC_SIGNATURE)),
        ("no hex", b"", bytes.fromhex(RFC_SIGNATURE)),
        ("00", b"", bytes.fromhex(RFC_SIGNATURE)),
    ],
    ids=["other data", "other signature", "no signature", "other key", "no key", "short key"],
)
def test_nothing_else_verifies(public_key: str, data: bytes, signature: bytes) -> None:
    assert not verify(public_key, data, signature)


@pytest.mark.parametrize(
    ("written", "seed"),
    [
        (SEED.hex(), SEED),
        (SEED.hex().upper(), SEED),
        (base64.b64encode(ODD).decode(), ODD),
        (base64.urlsafe_b64encode(ODD).decode(), ODD),
    ],
    ids=["hex", "upper hex", "base64", "url-safe base64"],
)
def test_a_key_is_set_as_hex_or_base64(database: Path, written: str, seed: bytes) -> None:
    assert load(written, database).public_key == Signer(seed).public_key
    assert not key_file(database).exists()


@pytest.mark.parametrize("written", ["short", "00" * 31, "zz" * 32, base64.b64encode(bytes(31)).decode(), "ü" * 32])
def test_a_setting_that_is_no_key_is_refused_and_not_shown(database: Path, written: str) -> None:
    with pytest.raises(AuditKeyUnusable) as refused:
        load(written, database)

    assert refused.value.source == "AUDIT_KEY"
    assert written not in str(refused.value)


@pytest.mark.parametrize("unset", [None, ""])
def test_without_a_setting_a_key_is_made_once_for_its_owner_alone(database: Path, unset: str | None) -> None:
    first, again = load(unset, database), load(unset, database)

    made = key_file(database)
    assert first.public_key == again.public_key == known_public_key(unset, database)
    assert (made.name, stat.S_IMODE(made.stat().st_mode)) == ("placet.db.audit-key", 0o600)
    assert [path.name for path in database.parent.iterdir()] == ["placet.db.audit-key"]


def test_two_databases_have_two_keys(tmp_path: Path) -> None:
    assert load(None, tmp_path / "a.db").public_key != load(None, tmp_path / "b.db").public_key


def test_asking_for_the_public_key_makes_none(database: Path) -> None:
    assert known_public_key(None, database) is None
    assert list(database.parent.iterdir()) == []


def test_the_public_key_of_a_setting_is_known(database: Path) -> None:
    assert known_public_key(SEED.hex(), database) == Signer(SEED).public_key


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601])
@pytest.mark.parametrize("use", [load, known_public_key])
def test_a_key_that_others_can_use_is_refused_with_its_mend(database: Path, mode: int, use) -> None:
    load(None, database)
    made = key_file(database)
    made.chmod(mode)

    with pytest.raises(AuditKeyUnusable) as refused:
        use(None, database)

    assert f"chmod 600 '{made}'" in refused.value.mend


@pytest.mark.parametrize("content", [b"", b"half a key", b"\xff\xfe", b"00" * 64])
def test_a_file_without_a_key_is_refused_and_kept(database: Path, content: bytes) -> None:
    made = key_file(database)
    made.touch(0o600)
    made.write_bytes(content)

    with pytest.raises(AuditKeyUnusable, match="holds no key"):
        load(None, database)

    assert made.read_bytes() == content


def test_a_folder_that_takes_no_key_is_named_with_the_mend(tmp_path: Path) -> None:
    with pytest.raises(AuditKeyUnusable, match="Set AUDIT_KEY"):
        load(None, tmp_path / "no such folder" / "placet.db")


def test_a_key_file_that_cannot_be_opened_is_refused(database: Path) -> None:
    key_file(database).mkdir()

    with pytest.raises(AuditKeyUnusable, match="cannot be read"):
        load(None, database)


def test_the_key_does_not_show_in_what_is_printed_of_a_signer() -> None:
    assert SEED.hex() not in repr(vars(Signer(SEED)))


def test_the_mode_does_not_hang_on_the_umask(database: Path) -> None:
    before = os.umask(0)
    try:
        load(None, database)
    finally:
        os.umask(before)

    assert stat.S_IMODE(key_file(database).stat().st_mode) == 0o600
