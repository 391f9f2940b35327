import type { Invitation } from '@notevault/protocol/members.ts';
import { keys } from '../../data/keys.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './sharing.module.css';
import { sharing } from './sharing-api.ts';

interface WaitingListProps {
  readonly vaultId: string;
  readonly invitations: readonly Invitation[];
}

/** Invitations that can still be accepted; nothing without any. */
export function WaitingList({ vaultId, invitations }: WaitingListProps) {
  const t = useTexts('sharing');
  if (invitations.length === 0) return null;
  return (
    <section className={styles.waiting} aria-labelledby="waiting">
      <h3 id="waiting">{t('waiting')}</h3>
      <ul className={styles.people}>
        {invitations.map((invitation) => (
          <WaitingRow key={invitation.id} vaultId={vaultId} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function WaitingRow({ vaultId, invitation }: { readonly vaultId: string; readonly invitation: Invitation }) {
  const t = useTexts('sharing');
  const language = useLanguage();
  const withdrawing = useChange(() => sharing.withdraw(vaultId, invitation.id), keys.members(vaultId), t('withdrawn'));
  const { email, role, uses_left, expires_at } = invitation;
  const name = email ?? t('anybody', { count: uses_left });
  const date = new Date(expires_at).toLocaleDateString(language, { day: 'numeric', month: 'long' });
  return (
    <li className={styles.person}>
      <span className={styles.mark}>
        <Icon name="link" />
      </span>
      <span className={styles.who}>
        <span dir="auto">{name}</span>
        <small>{t('waits', { role: t(`role.${role}`), date })}</small>
      </span>
      <Button aria-label={t('withdrawOf', { name })} onClick={() => withdrawing.mutate(undefined)}>
        {t('withdraw')}
      </Button>
    </li>
  );
}
