import { ApiError } from '@notevault/client/transport.ts';
import type { InvitationShown } from '@notevault/protocol/members.ts';
import { type ReactNode, Suspense, use, useState } from 'react';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { anonymous } from './start-api.ts';
import { StartCard } from './start-card.tsx';
import { StartError } from './start-error.tsx';

/** State of an invitation: its content, `dead` if it is no longer valid, or the error of reading it. */
export type InvitationState = InvitationShown | 'dead' | { readonly failed: unknown };

const asked = new Map<string, Promise<InvitationState>>();

/** Asks once what an invitation is for, also if a component that waits for the answer is made anew. */
function readInvitation(token: string): Promise<InvitationState> {
  const before = asked.get(token);
  if (before !== undefined) return before;
  const reading = anonymous
    .invitation(token)
    .catch(
      (error: unknown): InvitationState =>
        error instanceof ApiError && error.status === 404 ? 'dead' : { failed: error },
    );
  asked.set(token, reading);
  return reading;
}

interface WithInvitationProps {
  readonly token: string;
  /** Renders the invitation once it is loaded. */
  readonly children: (invited: InvitationShown | 'dead') => ReactNode;
}

/** Reads an invitation, and shows what goes on with it. */
export function WithInvitation(props: WithInvitationProps) {
  const [tries, setTries] = useState(0);
  const again = () => {
    asked.delete(props.token);
    setTries(tries + 1);
  };
  return (
    <Suspense key={tries}>
      <Read {...props} again={again} />
    </Suspense>
  );
}

function Read({ token, children, again }: WithInvitationProps & { readonly again: () => void }) {
  const t = useTexts('sharing');
  const invited = use(readInvitation(token));
  if (invited === 'dead' || !('failed' in invited)) return children(invited);
  return (
    <StartCard title={t('invitation.titleUnknown')}>
      <StartError error={invited.failed} />
      <Button look="primary" onClick={again}>
        {t('invitation.retry')}
      </Button>
    </StartCard>
  );
}

/** Returns the title and texts of an invitation's page. */
export function useInvitationTexts({ vault_name, invited_by, role, expires_at }: InvitationShown) {
  const t = useTexts('sharing');
  const language = useLanguage();
  const date = new Date(expires_at).toLocaleString(language, { dateStyle: 'long', timeStyle: 'short' });
  return {
    title: invited_by === null ? t('invitation.titleUnknown') : t('invitation.title', { name: invited_by }),
    text: `${t(role === 'editor' ? 'invitation.toEdit' : 'invitation.toRead', { vault: vault_name })} ${t('invitation.until', { date })}`,
  };
}

/** One page for all invitations that cannot be accepted any more. */
export function DeadInvitation({ children }: { readonly children: ReactNode }) {
  const t = useTexts('sharing');
  return (
    <StartCard title={t('invitation.dead')} text={t('invitation.deadText')}>
      {children}
    </StartCard>
  );
}
