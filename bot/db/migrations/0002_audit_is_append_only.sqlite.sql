create trigger audit_never_updated before update on audit begin select raise(abort, 'audit rows are never changed'); end;
create trigger audit_never_deleted before delete on audit begin select raise(abort, 'audit rows are never deleted'); end;
