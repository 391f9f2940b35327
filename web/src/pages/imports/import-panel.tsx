import i18next from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Progress } from '../../ui/feedback/progress.tsx';
import { bytes } from '../../ui/text/bytes.ts';
import { DropZone } from './drop-zone.tsx';
import { ImportReport } from './import-report.tsx';
import type { ImportView } from './import-view.ts';
import styles from './imports.module.css';
import type { PickFault } from './picked.ts';
import { useImport } from './use-import.ts';

interface ImportPanelProps {
  /** Null when the vault is still to be made. */
  readonly vaultId: string | null;
  /** Resolves to the vault, which may make it. */
  readonly vaultOf: () => Promise<string>;
  /** Shown while the server imports and when that is done: where to go from there. */
  readonly next: ReactNode;
  /** Shown as long as nothing is imported: how to go on without. */
  readonly skip?: ReactNode;
}

/** Imports notes into a vault: selection, preview, the import itself, and its report. */
export function ImportPanel({ vaultId, vaultOf, next, skip }: ImportPanelProps) {
  const t = useTexts('imports');
  const tVault = useTexts('vault');
  const { view, error, begin, apply, cancel, dismiss } = useImport({ vaultId, vaultOf });
  const [fault, setFault] = useState<PickFault | null>(null);
  const [hidden, setHidden] = useState(0);
  const isUnreadable = error instanceof DOMException;
  return (
    <div className={styles.panel}>
      {error === null ? null : (
        <Notice kind="danger">{isUnreadable ? t('unreadable') : errorText(tVault, error)}</Notice>
      )}
      {view.show === 'choice' ? (
        <>
          <LastOne view={view} />
          {fault === null ? null : <Notice kind="danger">{t(`fault.${fault}`)}</Notice>}
          <DropZone
            choose={(picked) => {
              setFault(picked.kind === 'fault' ? picked.fault : null);
              setHidden(picked.kind === 'files' ? picked.hidden : 0);
              if (picked.kind !== 'fault') begin(picked);
            }}
          />
        </>
      ) : null}
      {view.show === 'progress' ? <Running view={view} cancel={cancel} next={next} /> : null}
      {view.show === 'report' || view.show === 'result' ? (
        <ImportReport job={view.job}>
          {hidden === 0 ? null : <p className={styles.about}>{t('hidden', { count: hidden })}</p>}
          {view.show === 'report' ? (
            <div className={styles.buttons}>
              <Button look="primary" onClick={apply}>
                {t('apply')}
              </Button>
              <Button onClick={cancel}>{t('discard')}</Button>
            </div>
          ) : (
            <div className={styles.buttons}>
              {next}
              <Button onClick={dismiss}>{t('again')}</Button>
            </div>
          )}
        </ImportReport>
      ) : null}
      {view.show === 'choice' || view.show === 'report' ? skip : null}
    </div>
  );
}

const ERRORS = [
  'unsupported_archive',
  'damaged_archive',
  'too_many_entries',
  'unpacked_too_large',
  'access_lost',
] as const;

/** How the last import ended, when it did so early. */
function LastOne({ view }: { readonly view: Extract<ImportView, { show: 'choice' }> }) {
  const t = useTexts('imports');
  if (view.stopped) return <Notice kind="plain">{t('stopped')}</Notice>;
  if (view.error === null) return null;
  const known = ERRORS.find((name) => name === view.error) ?? 'internal';
  return <Notice kind="danger">{t('failed', { reason: t(`error.${known}`) })}</Notice>;
}

interface RunningProps {
  readonly view: Extract<ImportView, { show: 'progress' }>;
  readonly cancel: () => void;
  readonly next: ReactNode;
}

function Running({ view: { step, done, total, isElsewhere }, cancel, next }: RunningProps) {
  const t = useTexts('imports');
  const isLocal = step === 'reading' || step === 'sending';
  const size = (count: number) => bytes(count, i18next.language);
  const number = (count: number) => count.toLocaleString(i18next.language);
  const about =
    total === null || step === 'waiting'
      ? null
      : step === 'sending'
        ? t('bytes', { done: size(done), total: size(total) })
        : t('files', { done: number(done), total: number(total) });
  return (
    <section className={styles.running} aria-label={t(`step.${step}`)}>
      <p role="status">{t(`step.${step}`)}</p>
      <Progress label={t(`step.${step}`)} done={done} total={step === 'waiting' ? null : total} about={about} />
      <p className={styles.about}>{isElsewhere ? t('elsewhere') : t(isLocal ? 'stays' : 'goesOn')}</p>
      <div className={styles.buttons}>
        {isLocal ? null : next}
        <Button onClick={cancel}>{t('cancel')}</Button>
      </div>
    </section>
  );
}
