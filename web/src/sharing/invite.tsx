import { INVITATION_SECONDS, INVITATION_USES_MAX, type InvitationMade } from '@notevault/protocol/members.ts';
import { useState } from 'react';
import { keys } from '../data/keys.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useChange } from '../page/use-change.ts';
import { Button } from '../ui/controls/button.tsx';
import { CopyButton } from '../ui/controls/copy-button.tsx';
import { Choice, Field } from '../ui/controls/field.tsx';
import { Notice } from '../ui/feedback/notice.tsx';
import { invitationOf } from './invitation-of.ts';
import { QrCode } from './qr-code.tsx';
import styles from './sharing.module.css';
import { sharing } from './sharing-api.ts';

const DAY = 24 * 60 * 60;
const DAYS = [1, INVITATION_SECONDS.usual / DAY, INVITATION_SECONDS.max / DAY];
const USES = [1, 5, 20, INVITATION_USES_MAX];

/** Makes the address of an invitation, and shows it once. */
export function Invite({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('sharing');
  const [made, setMade] = useState<InvitationMade | null>(null);
  const [email, setEmail] = useState('');
  const inviting = useChange((form: FormData) => sharing.invite(vaultId, invitationOf(form)), keys.members(vaultId));
  return (
    <>
      <form
        className={styles.invite}
        onSubmit={(event) => {
          event.preventDefault();
          inviting.mutate(new FormData(event.currentTarget), {
            onSuccess: (answer) => {
              setMade(answer);
              setEmail('');
            },
          });
        }}
      >
        <div className={styles.row}>
          <Field
            label={t('email')}
            hint={t('emailHint')}
            name="email"
            type="email"
            autoComplete="off"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          <Choice label={t('may')} name="role" defaultValue="editor">
            <option value="editor">{t('role.editor')}</option>
            <option value="viewer">{t('role.viewer')}</option>
          </Choice>
        </div>
        <div className={styles.row}>
          <Choice label={t('lasts')} name="days" defaultValue={DAYS[1]}>
            {DAYS.map((days) => (
              <option key={days} value={days}>
                {t('days', { count: days })}
              </option>
            ))}
          </Choice>
          <Choice label={t('uses')} name="uses" disabled={email.trim() !== ''}>
            {USES.map((count) => (
              <option key={count} value={count}>
                {t('persons', { count })}
              </option>
            ))}
          </Choice>
          <Button type="submit" look="primary" aria-disabled={inviting.isPending}>
            {t('makeLink')}
          </Button>
        </div>
      </form>
      {made === null ? null : <Link key={made.invitation.id} made={made} />}
    </>
  );
}

function Link({ made: { url, invitation } }: { readonly made: InvitationMade }) {
  const t = useTexts('sharing');
  return (
    <Notice kind="ok">
      <p>{invitation.email === null ? t('once') : t('onceFor', { email: invitation.email })}</p>
      <div className={styles.link}>
        <code data-testid="invitation">{url}</code>
        <CopyButton text={url} />
      </div>
      <QrCode text={url} label={t('qr')} />
    </Notice>
  );
}
