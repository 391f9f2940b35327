import type { AdminHealth, AdminInvite, AdminUser as AdminUserBody } from '@notevault/protocol/admin.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { Invite } from '../accounts/accounts.ts';
import type { AdminUser, ServerHealth } from './admin.ts';

export function adminUserView(user: AdminUser): AdminUserBody {
  const { totals } = user;
  return {
    id: user.id,
    email: user.email,
    display_name: user.displayName,
    role: user.role,
    plan: user.plan,
    created_at: isoTime(user.createdAt),
    suspended_at: user.suspendedAt === null ? null : isoTime(user.suspendedAt),
    vault_count: totals.vaults,
    note_count: totals.notes,
    attachment_count: totals.attachments,
    used_bytes: totals.bytes,
    session_count: user.sessions,
  };
}

export function inviteView({ id, email, createdAt, expiresAt }: Invite): AdminInvite {
  return { id, email, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) };
}

export function healthView(health: ServerHealth): AdminHealth {
  const { totals } = health;
  return {
    status: 'ok',
    version: health.version,
    uptime_seconds: Math.floor((health.now - health.startedAt) / 1000),
    database: health.engine,
    memory_bytes: process.memoryUsage.rss(),
    registration_mode: health.registrationMode,
    plans: [...health.plans],
    users: health.users,
    suspended_users: health.suspended,
    sessions: health.sessions,
    vaults: totals.vaults,
    notes: totals.notes,
    attachments: totals.attachments,
    attachment_bytes: totals.bytes,
    last_backup_at: health.lastBackup === null ? null : isoTime(health.lastBackup),
  };
}
