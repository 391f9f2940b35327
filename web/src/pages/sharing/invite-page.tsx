import { ApiError } from '@notevault/client/transport.ts';
import type { InvitationShown } from '@notevault/protocol/members.ts';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { meQuery, vaultsQuery } from '../../data/queries.ts';
import { countUnsent } from '../../device/count-unsent.ts';
import { signOut } from '../../device/sign-out.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { forgetInvitation, takeInvitation, takeWish } from '../../page/invitation.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { DeadInvitation, useInvitationTexts, WithInvitation } from '../start/invited.tsx';
import { NameField, nameIn } from '../start/name-field.tsx';
import { StartCard, StartForm } from '../start/start-card.tsx';
import { sharing } from './sharing-api.ts';

/** Invitation page for a signed-in account. */
export function InvitePage() {
  const [token, setToken] = useState(takeInvitation);
  useEffect(() => {
    const look = () => setToken(takeInvitation());
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  if (token === null) return <Navigate to="/" replace />;
  return (
    <WithInvitation key={token} token={token}>
      {(invited) => <Accept token={token} invited={invited} />}
    </WithInvitation>
  );
}

interface AcceptProps {
  readonly token: string;
  readonly invited: InvitationShown | 'dead';
}

/**
 * Asks once more, unless somebody has just signed in for it. One that is dead may be that by which they became a member,
 * which leads to the vault again.
 */
function Accept({ token, invited }: AcceptProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: me } = useSuspenseQuery(meQuery);
  const attempt = useAttempt();
  const accept = (name: string | null) =>
    attempt.run(async () => {
      if (name !== null) queries.setQueryData(keys.me, await api.updateMe({ display_name: name }));
      const { id } = await sharing.accept(token);
      await queries.fetchQuery({ ...vaultsQuery, staleTime: 0 });
      forgetInvitation();
      await navigate({ to: '/vaults/$vaultId', params: { vaultId: id }, replace: true });
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is begun once
  useEffect(() => {
    const isWanted = takeWish() && me.display_name !== null;
    if (isWanted || invited === 'dead') accept(null);
  }, []);
  const code = attempt.error instanceof ApiError ? attempt.error.code : null;
  if (code === 'invitation_for_another') return <ForAnother />;
  if (code === 'invitation_invalid') return <Dead />;
  if (invited === 'dead') return attempt.error === null ? null : <Dead />;
  return <Offer invited={invited} accept={accept} isRunning={attempt.isRunning} error={attempt.error} />;
}

function Dead() {
  const t = useTexts('sharing');
  useWindowTitle(t('invitation.dead'));
  return (
    <DeadInvitation>
      <ToNotes />
    </DeadInvitation>
  );
}

function ToNotes() {
  const t = useTexts('sharing');
  return (
    <Link to="/" className={buttonClass('plain')} onClick={forgetInvitation}>
      {t('invitation.toNotes')}
    </Link>
  );
}

interface OfferProps {
  readonly invited: InvitationShown;
  /** Accepts it, under a name for a person who has none. */
  readonly accept: (name: string | null) => void;
  readonly isRunning: boolean;
  readonly error: unknown;
}

function Offer({ invited, accept, isRunning, error }: OfferProps) {
  const t = useTexts('sharing');
  const inVault = useTexts('vault');
  const { data: me } = useSuspenseQuery(meQuery);
  const { title, text } = useInvitationTexts(invited);
  useWindowTitle(title);
  return (
    <StartCard title={title} text={text} foot={<Other about={t('invitation.as', { email: me.email })} />}>
      <StartForm submit={(form) => accept(nameIn(form))}>
        {me.display_name === null ? <NameField /> : null}
        {error === null ? null : <Notice kind="danger">{errorText(inVault, error)}</Notice>}
        <Button type="submit" look="primary" aria-disabled={isRunning}>
          {t(isRunning ? 'invitation.accepting' : 'invitation.accept')}
        </Button>
      </StartForm>
    </StartCard>
  );
}

function ForAnother() {
  const t = useTexts('sharing');
  const { data: me } = useSuspenseQuery(meQuery);
  useWindowTitle(t('invitation.forAnother'));
  return (
    <StartCard title={t('invitation.forAnother')} foot={<Other about="" />}>
      <Notice kind="danger">{t('invitation.forAnotherText', { email: me.email })}</Notice>
      <ToNotes />
    </StartCard>
  );
}

/** Signs out and stays at the invitation; asks first if that loses edits. */
function Other({ about }: { readonly about: string }) {
  const t = useTexts('sharing');
  const inVault = useTexts('vault');
  const { data: me } = useSuspenseQuery(meQuery);
  const confirm = useConfirm();
  const leave = async () => {
    const count = await countUnsent(me.id);
    if (count === 0) return signOut();
    confirm.ask({
      title: inVault('unsent.title'),
      text: inVault('unsent.text', { count }),
      yes: inVault('nav.signOut'),
      run: () => void signOut(),
    });
  };
  return (
    <p>
      {about}{' '}
      <Button look="quiet" onClick={() => void leave()}>
        {t('invitation.other')}
      </Button>
      {confirm.dialog}
    </p>
  );
}
