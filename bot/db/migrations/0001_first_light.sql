create table inbox(
  team_id text not null,
  key text not null,
  lane text not null,
  kind text not null,
  payload text not null,
  ts double precision not null,
  seq bigint not null,
  attempt integer not null default 0,
  next_try_at double precision not null default 0,
  done_at double precision,
  failed_at double precision,
  failure text,
  primary key (team_id, key)
);
create index inbox_open on inbox(team_id, lane, ts, seq) where done_at is null and failed_at is null;

create table effects(
  team_id text not null,
  key text not null,
  status text not null,
  result text,
  at double precision not null,
  primary key (team_id, key)
);

create table counters(
  team_id text not null,
  name text not null,
  value bigint not null,
  primary key (team_id, name)
);

create table threads(
  team_id text not null,
  channel text not null,
  ts text not null,
  home_channel text not null,
  home_ts text not null,
  primary key (team_id, channel, ts)
);

create table runs(
  team_id text not null,
  run_id text not null,
  n bigint not null,
  channel text not null,
  thread_ts text not null,
  flow_name text not null,
  requester text not null,
  inputs text not null,
  root_is_ours integer not null,
  state text not null,
  result text,
  reference text,
  created_at double precision not null,
  updated_at double precision not null,
  primary key (team_id, run_id)
);
create unique index runs_number on runs(team_id, n);
create index runs_thread on runs(team_id, channel, thread_ts);

create table reviews(
  team_id text not null,
  id text not null,
  n bigint not null,
  run_id text not null,
  flow_name text not null,
  method text not null,
  round integer not null,
  channel text not null,
  thread_ts text not null,
  requester text not null,
  requester_name text not null,
  question text not null,
  content text not null,
  emit text,
  default_outcome text,
  metadata text not null,
  language text not null,
  target_channel text not null,
  target_thread_ts text,
  payload_hash text not null,
  state text not null,
  version integer not null,
  content_version integer not null,
  outcome text,
  decided_by text,
  decided_by_name text,
  decided_at double precision,
  source text,
  note text,
  result text,
  opened_at double precision not null,
  posted_at double precision,
  started_at double precision,
  primary key (team_id, id)
);
create unique index reviews_number on reviews(team_id, n);
create index reviews_run on reviews(team_id, run_id);
create index reviews_pending on reviews(team_id, channel, thread_ts) where state = 'pending_review';

create table cards(
  team_id text not null,
  channel text not null,
  ts text not null,
  review_id text not null,
  kind text not null,
  thread_ts text,
  user_id text,
  note text,
  shown_version integer not null,
  redraw_at double precision,
  primary key (team_id, channel, ts)
);
create index cards_review on cards(team_id, review_id);
create index cards_outdated on cards(team_id, redraw_at) where redraw_at is not null;

create table audit(
  team_id text not null,
  n bigint not null,
  review_id text not null,
  version integer,
  kind text not null,
  actor text not null,
  actor_name text not null,
  from_state text not null,
  to_state text not null,
  outcome text,
  source text,
  reason text,
  payload_hash text not null,
  at double precision not null,
  primary key (team_id, n)
);
create unique index audit_transition on audit(team_id, review_id, version) where version is not null;
