drop index audit_transition;
alter table audit rename to audit_before;

create table audit(
  team_id text not null,
  n bigint not null,
  format integer not null,
  previous_hash text not null,
  review_id text,
  version integer,
  kind text not null,
  actor text not null,
  from_state text,
  to_state text,
  outcome text,
  source text,
  reason_code text not null,
  detail text not null,
  payload_hash text not null,
  policy_hash text not null,
  code_version text not null,
  at_us bigint not null,
  name_hash text not null,
  text_hash text not null,
  hash text not null,
  primary key (team_id, n)
);
create table audit_texts(
  team_id text not null,
  n bigint not null,
  salt text not null,
  actor_name text not null,
  text text not null,
  primary key (team_id, n)
);
create table audit_heads(
  team_id text not null,
  first_n bigint not null,
  n bigint not null,
  hash text not null,
  public_key text not null,
  signature text not null,
  primary key (team_id)
);

insert into audit(team_id, n, format, previous_hash, review_id, version, kind, actor, from_state, to_state, outcome,
  source, reason_code, detail, payload_hash, policy_hash, code_version, at_us, name_hash, text_hash, hash)
  select team_id, n, 0, '', nullif(review_id, ''), version, kind, actor, nullif(from_state, ''), nullif(to_state, ''),
  outcome, source, '', '{}', payload_hash, '', '', cast(round(at * 1000000) as bigint), '', '', '' from audit_before;
insert into audit_texts(team_id, n, salt, actor_name, text)
  select team_id, n, '', actor_name, coalesce(reason, '') from audit_before;
insert into audit_heads(team_id, first_n, n, hash, public_key, signature)
  select team_id, max(n) + 1, max(n), '', '', '' from audit_before group by team_id;
delete from counters where name = 'audit';
drop table audit_before;

create unique index audit_transition on audit(team_id, review_id, version) where version is not null;
create index audit_review on audit(team_id, review_id, n);

create trigger audit_never_updated before update on audit
  begin select raise(abort, 'audit rows are never changed'); end;
create trigger audit_never_deleted before delete on audit
  begin select raise(abort, 'audit rows are never deleted'); end;
create trigger audit_only_grows before insert on audit
  when new.n <= (select coalesce(max(n), 0) from audit where team_id = new.team_id)
  begin select raise(abort, 'audit rows are only added at the end'); end;
create trigger audit_texts_never_updated before update on audit_texts
  begin select raise(abort, 'the words of audit rows are removed or kept, never changed'); end;
create trigger audit_heads_never_deleted before delete on audit_heads
  begin select raise(abort, 'the head of the record is never deleted'); end;
create trigger audit_heads_never_go_back before update on audit_heads
  when new.n < old.n or new.first_n <> old.first_n or new.team_id <> old.team_id
  begin select raise(abort, 'the head of the record never goes back'); end;
