import { INVITATION_SECONDS, type InvitationMade } from '@notevault/protocol/members.ts';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { QrCode } from '../../ui/controls/qr-code.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import styles from './sharing.module.css';
import { sharing } from './sharing-api.ts';

const DAY_SECONDS = 24 * 60 * 60;
const INVITED = ['editor', 'viewer'] as const;
type InvitedRole = (typeof INVITED)[number];

/** An invitation that was made here, and whether its address is in the clipboard. */
interface NewInvitation extends InvitationMade {
  readonly isCopied: boolean;
}

/** Makes invitations to a vault, of which the last one is shown: the server tells its address once. */
export function useInvite(vaultId: string) {
  const [role, setRole] = useState<InvitedRole>('editor');
  const [made, setMade] = useState<NewInvitation | null>(null);
  const inviting = useChange(
    (email: string | null) =>
      sharing.invite(vaultId, { role, expires_in: INVITATION_SECONDS.usual, ...(email === null ? {} : { email }) }),
    keys.members(vaultId),
  );
  /** Resolves to the address; an email makes it one that only the account with that email can accept. */
  const invite = (email: string | null) =>
    new Promise<string>((resolve, reject) =>
      inviting.mutate(email, {
        onSuccess: (answer) => {
          setMade({ ...answer, isCopied: false });
          resolve(answer.url);
        },
        onError: reject,
      }),
    );
  const copied = () => setMade((shown) => (shown === null ? null : { ...shown, isCopied: true }));
  return { role, setRole, made, invite, copied, isPending: inviting.isPending };
}

type InviteState = ReturnType<typeof useInvite>;

/** One field, one role: an invitation for the account with an email. */
export function InviteForm({
  inviting: { role, setRole, made, invite, isPending },
}: {
  readonly inviting: InviteState;
}) {
  const t = useTexts('sharing');
  const [email, setEmail] = useState('');
  return (
    <>
      <form
        className={styles.invite}
        onSubmit={(event) => {
          event.preventDefault();
          invite(email.trim()).then(
            () => setEmail(''),
            () => undefined,
          );
        }}
      >
        <input
          className={styles.email}
          type="email"
          required
          autoComplete="off"
          aria-label={t('email')}
          placeholder={t('emailExample')}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <Select
          aria-label={t('may')}
          value={role}
          onChange={({ target }) => setRole(target.value === 'viewer' ? 'viewer' : 'editor')}
        >
          {INVITED.map((one) => (
            <option key={one} value={one}>
              {t(`role.${one}`)}
            </option>
          ))}
        </Select>
        <Button type="submit" look="primary" aria-disabled={isPending}>
          {t('invite')}
        </Button>
      </form>
      {made?.invitation.email == null ? null : <MadeLink key={made.invitation.id} made={made} />}
    </>
  );
}

/** Button that copies the address of an invitation. */
export function CopyLink({ inviting: { made, invite, copied, isPending } }: { readonly inviting: InviteState }) {
  const t = useTexts('sharing');
  const copy = () => {
    const text = invite(null).then((url) => new Blob([url], { type: 'text/plain' }));
    // Some browsers only give the clipboard to the press itself, not to an answer that comes after it.
    const writing = navigator.clipboard?.write([new ClipboardItem({ 'text/plain': text })]) ?? Promise.reject();
    // A link that was not copied is shown. A failure to create one is reported beside the links.
    Promise.all([text, writing]).then(copied, () => undefined);
  };
  return (
    <>
      {made !== null && made.invitation.email === null ? <MadeLink key={made.invitation.id} made={made} /> : null}
      <div className={styles.foot}>
        <Icon name="link" />
        <span>{t('linkAbout', { days: INVITATION_SECONDS.usual / DAY_SECONDS })}</span>
        <Button aria-disabled={isPending} onClick={copy}>
          <Icon name="copy" />
          {t('copyLink')}
        </Button>
      </div>
    </>
  );
}

function MadeLink({ made: { url, invitation, isCopied } }: { readonly made: NewInvitation }) {
  const t = useTexts('sharing');
  const { email } = invitation;
  return (
    <Notice kind="ok">
      <p>{email !== null ? t('onceFor', { email }) : t(isCopied ? 'onceCopied' : 'once')}</p>
      <div className={styles.link}>
        <code data-testid="invitation">{url}</code>
        <CopyButton text={url} />
      </div>
      <QrCode text={url} label={t('qr')} />
    </Notice>
  );
}
