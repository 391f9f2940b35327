import { useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { storageQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Progress } from '../ui/feedback/progress.tsx';
import { bytes } from '../ui/text/bytes.ts';
import styles from './settings.module.css';

/** What the account uses, against what its plan allows. */
export function Storage() {
  const t = useTexts('settings');
  const { data } = useSuspenseQuery(storageQuery);
  const number = (count: number) => count.toLocaleString(i18next.language);
  const size = (count: number) => bytes(count, i18next.language);
  const { vaults_cap, notes_cap, attachment_bytes_cap } = data.caps;
  return (
    <section className={styles.section} aria-labelledby="storage">
      <h2 id="storage">{t('storage.title')}</h2>
      <p>{t('storage.plan', { tier: data.tier })}</p>
      <Used label={t('storage.vaultCount')} used={data.vault_count} cap={vaults_cap} show={number} />
      <Used label={t('storage.noteCount')} used={data.note_count} cap={notes_cap} show={number} />
      <Used label={t('storage.size')} used={data.used_bytes} cap={attachment_bytes_cap} show={size} />
    </section>
  );
}

interface UsedProps {
  readonly label: string;
  readonly used: number;
  /** Null when the plan has none. */
  readonly cap: number | null;
  readonly show: (count: number) => string;
}

function Used({ label, used, cap, show }: UsedProps) {
  const t = useTexts('settings');
  return (
    <div className={styles.used}>
      <span>{label}</span>
      {cap === null ? (
        <span className={styles.amount}>{show(used)}</span>
      ) : (
        <Progress label={label} done={used} total={cap} about={t('storage.of', { used: show(used), cap: show(cap) })} />
      )}
    </div>
  );
}
