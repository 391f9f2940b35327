import type { AdminInvite } from '@notevault/protocol/admin.ts';
import { startLink } from '@notevault/protocol/start-link.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { healthQuery, invitesQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { useChange } from '../../page/use-change.ts';
import { serverUrl } from '../../platform/base.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import lists from '../lists/lists.module.css';
import styles from '../settings/settings.module.css';
import { ShownOnce } from '../settings/shown-once.tsx';

/** Invites to make an account: making them, and withdrawing those that were not used. */
export function InvitesPage() {
  const t = useTexts('admin');
  const { data: invites } = useSuspenseQuery(invitesQuery);
  const { data: health } = useSuspenseQuery(healthQuery);
  useWindowTitle(t('invites.title'));
  return (
    <>
      <h1>{t('invites.title')}</h1>
      {health.registration_mode === 'invite_only' ? null : (
        <Notice kind="plain">{t(health.registration_mode === 'open' ? 'invites.open' : 'invites.closed')}</Notice>
      )}
      <NewInvite />
      <section className={styles.section} aria-labelledby="unused">
        <h2 id="unused">{t('invites.unused')}</h2>
        {invites.length === 0 ? <p>{t('invites.none')}</p> : null}
        <ul className={lists.rows}>
          {invites.map((invite) => (
            <InviteRow key={invite.id} invite={invite} />
          ))}
        </ul>
      </section>
    </>
  );
}

function NewInvite() {
  const t = useTexts('admin');
  const [link, setLink] = useState<string | null>(null);
  const creating = useChange((email: string | undefined) => api.admin.createInvite(email), keys.invites);
  return (
    <section className={styles.section} aria-labelledby="new-invite">
      <h2 id="new-invite">{t('invites.new')}</h2>
      {link === null ? null : <ShownOnce about={t('invites.once')} secret={link} />}
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const email = String(new FormData(form).get('email')).trim();
          creating.mutate(email === '' ? undefined : email, {
            onSuccess: ({ token }) => {
              setLink(startLink(serverUrl(), 'invite', token));
              form.reset();
            },
          });
        }}
      >
        <Field
          label={t('invites.email')}
          hint={t('invites.emailHint')}
          name="email"
          type="email"
          autoComplete="off"
          autoCapitalize="none"
        />
        <Button type="submit" aria-disabled={creating.isPending}>
          {t('invites.create')}
        </Button>
      </form>
    </section>
  );
}

function InviteRow({ invite: { id, email, created_at, expires_at } }: { readonly invite: AdminInvite }) {
  const t = useTexts('admin');
  const deleting = useChange(() => api.admin.deleteInvite(id), keys.invites);
  const day = (time: string) => new Date(time).toLocaleDateString(i18next.language);
  const name = email ?? t('invites.anybody');
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {name}
      </span>
      <span className={lists.buttons}>
        <Button
          look="danger"
          aria-label={`${t('invites.revoke')}: ${name}`}
          aria-disabled={deleting.isPending}
          onClick={() => deleting.mutate(undefined)}
        >
          {t('invites.revoke')}
        </Button>
      </span>
      <span className={lists.about}>{t('invites.times', { made: day(created_at), until: day(expires_at) })}</span>
    </li>
  );
}
