import type { UploadInto } from '@notevault/protocol/uploads.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { storageQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Progress } from '../../ui/feedback/progress.tsx';
import { bytes } from '../../ui/text/bytes.ts';
import { Time } from '../../ui/text/time.tsx';
import lists from '../lists/lists.module.css';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** Shows the account's usage against its plan's limits. */
export function Storage() {
  const t = useTexts('settings');
  const { data } = useSuspenseQuery(storageQuery);
  const number = (count: number) => count.toLocaleString(i18next.language);
  const size = (count: number) => bytes(count, i18next.language);
  const { vaults_cap, notes_cap, attachment_bytes_cap } = data.caps;
  return (
    <section className={styles.section} aria-labelledby="storage">
      <h2 id="storage">{t('storage.title')}</h2>
      {data.tier === 'self_hosted' ? null : <p>{t('storage.plan', { tier: data.tier })}</p>}
      <Used label={t('storage.vaultCount')} used={data.vault_count} cap={vaults_cap} show={number} />
      <Used label={t('storage.noteCount')} used={data.note_count} cap={notes_cap} show={number} />
      <Used label={t('storage.size')} used={data.used_bytes} cap={attachment_bytes_cap} show={size} />
      {data.reserved_bytes === 0 ? null : (
        <Used label={t('storage.reserved')} used={data.reserved_bytes} cap={null} show={size} />
      )}
      <UploadsInto />
    </section>
  );
}

/** Lists the open uploads into the account's vaults. */
function UploadsInto() {
  const t = useTexts('settings');
  const { data: uploads } = useSuspenseQuery({ queryKey: keys.uploadsInto, queryFn: () => api.uploadsInto() });
  if (uploads.length === 0) return null;
  return (
    <>
      <h3>{t('storage.uploads')}</h3>
      <p>{t('storage.uploadsAbout')}</p>
      <ul className={lists.rows}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </>
  );
}

function UploadRow({ upload }: { readonly upload: UploadInto }) {
  const t = useTexts('settings');
  const inVault = useTexts('vault');
  const ending = useChange(account.endUploadInto, keys.storage, t('storage.ended'));
  const { id, path, vault_name, length, offset, by, reserved_until } = upload;
  const size = (count: number) => bytes(count, i18next.language);
  const about = [
    t('storage.of', { used: size(offset), cap: size(length) }),
    vault_name,
    by.display_name ?? inVault('shared.noName'),
  ];
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {path}
      </span>
      <span className={lists.buttons}>
        <Button
          aria-label={`${t('storage.end')}: ${path}`}
          aria-disabled={ending.isPending}
          onClick={() => ending.mutate(id)}
        >
          {t('storage.end')}
        </Button>
      </span>
      <span className={lists.about} dir="auto">
        {about.join(' · ')} · {reserved_until === null ? t('storage.unreserved') : t('storage.until')}{' '}
        {reserved_until === null ? null : <Time at={reserved_until} />}
      </span>
    </li>
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
