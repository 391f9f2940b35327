import type { AdminUser } from '@notevault/protocol/admin.ts';
import { useQueryClient, useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { adminUsersQuery, meQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { bytes } from '../../ui/text/bytes.ts';
import lists from '../lists/lists.module.css';
import { EraseDialog } from '../settings/erase-dialog.tsx';
import styles from '../settings/settings.module.css';
import { EditUser } from './edit-user.tsx';

/** Admin page of the server's accounts, their usage, and the changes an admin may make. */
export function UsersPage() {
  const t = useTexts('admin');
  const tVault = useTexts('vault');
  const { data: users, hasNextPage, fetchNextPage } = useSuspenseInfiniteQuery(adminUsersQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  useWindowTitle(t('users.title'));
  return (
    <>
      <h1>{t('users.title')}</h1>
      <section className={styles.section} aria-label={t('users.title')}>
        <p>{t('users.about')}</p>
        <ul className={lists.rows}>
          {users.map((user) => (
            <UserRow key={user.id} user={user} isMe={user.email === me.email} />
          ))}
        </ul>
        {hasNextPage ? (
          <div>
            <Button onClick={() => void fetchNextPage()}>{tVault('more')}</Button>
          </div>
        ) : null}
      </section>
    </>
  );
}

function UserRow({ user, isMe }: { readonly user: AdminUser; readonly isMe: boolean }) {
  const t = useTexts('admin');
  const inVault = useTexts('vault');
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const { email, display_name, role, suspended_at, second_factor, passkeys } = user;
  const close = () => setDialog(null);
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {display_name ?? inVault('shared.noName')}{' '}
        {role === 'admin' ? <span className={styles.badge}>{t('users.admin')}</span> : null}{' '}
        {suspended_at === null ? null : <span className={styles.badge}>{t('users.suspended')}</span>}{' '}
        {second_factor ? <span className={styles.badge}>{t('users.secondFactor')}</span> : null}{' '}
        {passkeys > 0 ? <span className={styles.badge}>{t('users.passkeys', { count: passkeys })}</span> : null}{' '}
        {isMe ? <span className={styles.badge}>{t('users.me')}</span> : null}
      </span>
      <span className={lists.buttons}>
        <Button aria-label={`${t('users.edit')} ${email}`} onClick={() => setDialog('edit')}>
          {t('users.edit')}
        </Button>
        {second_factor || passkeys > 0 ? <ResetSecondFactor user={user} /> : null}
        {/* One who suspends or deletes themselves could not undo it; the profile has a way to leave. */}
        {isMe ? null : <Suspension user={user} />}
        {isMe ? null : (
          <Button look="danger" aria-label={`${t('users.delete')} ${email}`} onClick={() => setDialog('delete')}>
            {t('users.delete')}
          </Button>
        )}
      </span>
      <span className={lists.about} dir="auto">
        <Usage user={user} />
      </span>
      {dialog === 'edit' ? <EditUser user={user} close={close} /> : null}
      {dialog === 'delete' ? <DeleteUser user={user} close={close} /> : null}
    </li>
  );
}

function Usage({ user }: { readonly user: AdminUser }) {
  const t = useTexts('admin');
  const { language } = i18next;
  const values = {
    vaults: user.vault_count.toLocaleString(language),
    notes: user.note_count.toLocaleString(language),
    files: user.attachment_count.toLocaleString(language),
    size: bytes(user.used_bytes, language),
    sessions: user.session_count.toLocaleString(language),
  };
  const since = new Date(user.created_at).toLocaleDateString(language);
  return [user.email, t('users.plan', { plan: user.plan }), t('users.usage', values), t('users.since', { since })].join(
    ' · ',
  );
}

function Suspension({ user: { id, email, suspended_at } }: { readonly user: AdminUser }) {
  const t = useTexts('admin');
  const confirm = useConfirm();
  const isSuspended = suspended_at !== null;
  const changing = useChange((suspended: boolean) => api.admin.updateUser(id, { suspended }), keys.admin);
  const name = t(isSuspended ? 'users.unsuspend' : 'users.suspend');
  const press = () => {
    if (isSuspended) return changing.mutate(false);
    confirm.ask({
      title: t('users.suspendTitle', { email }),
      text: t('users.suspendText'),
      yes: name,
      run: () => changing.mutate(true),
    });
  };
  return (
    <>
      <Button aria-label={`${name} ${email}`} aria-disabled={changing.isPending} onClick={press}>
        {name}
      </Button>
      {confirm.dialog}
    </>
  );
}

function ResetSecondFactor({ user: { id, email } }: { readonly user: AdminUser }) {
  const t = useTexts('admin');
  const confirm = useConfirm();
  const resetting = useChange(() => api.admin.resetSecondFactor(id), keys.admin);
  const press = () =>
    confirm.ask({
      title: t('users.resetTitle', { email }),
      text: t('users.resetText'),
      yes: t('users.reset'),
      run: () => resetting.mutate(undefined),
    });
  return (
    <>
      <Button aria-label={`${t('users.reset')} ${email}`} aria-disabled={resetting.isPending} onClick={press}>
        {t('users.reset')}
      </Button>
      {confirm.dialog}
    </>
  );
}

/** Erases an account with everything in it, after asking for the password of the admin. */
function DeleteUser({ user: { id, email }, close }: { readonly user: AdminUser; readonly close: () => void }) {
  const t = useTexts('admin');
  const queries = useQueryClient();
  const erase = async (password: string | null) => {
    await api.admin.deleteUser(id, password);
    close();
    await queries.invalidateQueries({ queryKey: keys.admin });
  };
  return (
    <EraseDialog
      title={t('users.deleteTitle', { email })}
      about={t('users.deleteText')}
      label={t('users.password')}
      action={t('users.delete')}
      close={close}
      erase={erase}
    />
  );
}
