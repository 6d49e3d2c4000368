alter table reviews add column policy text;
alter table reviews add column amount text;
alter table reviews add column inputs text;
alter table reviews add column said text;
alter table reviews add column post_tries integer not null default 0;
alter table reviews add column level integer not null default 0;
alter table reviews add column asked text;
alter table reviews add column passed_over text;
alter table reviews add column asked_at double precision;
alter table reviews add column reminded integer not null default 0;
alter table reviews add column expires_at double precision;
alter table reviews add column next_at double precision;
alter table reviews add column blocked integer not null default 0;
alter table reviews add column reason_code text;
update reviews set asked_at = posted_at, expires_at = posted_at + 14400, next_at = coalesce(posted_at, opened_at) + 14400
  where state = 'pending_review';
create index reviews_due on reviews(team_id, next_at, id) where next_at is not null;
create index reviews_blocked on reviews(team_id, flow_name, method) where blocked = 1;
create index reviews_open on reviews(team_id, n) where state = 'pending_review';

alter table runs add column said text;

create table halts(
  team_id text not null,
  at double precision not null,
  actor text not null,
  primary key (team_id)
);
