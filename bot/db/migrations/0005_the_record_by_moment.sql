create index audit_moment on audit(team_id, at_us) where actor = 'system';
create index audit_passed on audit(team_id, at_us) where kind = 'auto_approved';
