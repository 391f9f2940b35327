import type { BootstrapResponse } from '@notevault/protocol/accounts.ts';
import type { InvitationShown } from '@notevault/protocol/members.ts';
import { useEffect, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { forgetInvitation, wantInvitation } from '../../page/invitation.ts';
import type { EndReason } from '../../session/session-channel.ts';
import { Button } from '../../ui/controls/button.tsx';
import { DeadInvitation, useInvitationTexts, WithInvitation } from './invited.tsx';
import { Register } from './register.tsx';
import { SignIn } from './sign-in.tsx';

interface InvitedStartProps {
  readonly token: string;
  readonly ended: EndReason;
  /** Requirement for a new account; null where registration is closed. */
  readonly registration: 'open' | 'invited' | null;
  /** Sign-in methods of the server. */
  readonly offers: Pick<BootstrapResponse, 'methods' | 'oidc'>;
  /** Goes on without the invitation. */
  readonly leave: () => void;
}

/** Page for an invited person who is not signed in: the invitation, and sign-in or registration. */
export function InvitedStart(props: InvitedStartProps) {
  const t = useTexts('sharing');
  const leave = () => {
    forgetInvitation();
    history.replaceState(history.state, '', '/');
    props.leave();
  };
  return (
    <WithInvitation token={props.token}>
      {(invited) =>
        invited === 'dead' ? (
          <DeadInvitation>
            <Button look="primary" onClick={leave}>
              {t('invitation.toSignIn')}
            </Button>
          </DeadInvitation>
        ) : (
          <Enter {...props} invited={invited} />
        )
      }
    </WithInvitation>
  );
}

function Enter({
  token,
  ended,
  registration,
  offers,
  invited,
}: InvitedStartProps & { readonly invited: InvitationShown }) {
  const [isNew, setNew] = useState(false);
  const welcome = useInvitationTexts(invited);
  // A person who signs in here has read the invitation.
  useEffect(wantInvitation, []);
  if (registration !== null && isNew) {
    const back = () => setNew(false);
    // It is the code itself, where it lets somebody register.
    if (invited.registers) return <Register kind="open" invite={token} back={back} welcome={welcome} />;
    return <Register kind={registration} invite="" back={back} welcome={welcome} />;
  }
  const register = registration === null ? null : () => setNew(true);
  return <SignIn isReset={false} ended={ended} register={register} offers={offers} welcome={welcome} />;
}
