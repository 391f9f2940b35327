import type { Import } from '@notevault/protocol/imports.ts';
import { Link } from '@tanstack/react-router';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import type { imports } from '../../i18n/en/imports.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { skippedByReason } from './import-view.ts';
import styles from './imports.module.css';

type CountName = keyof typeof imports.count;

/** Report of an import, before or after it ran. It names the first 1,000 renamed and omitted files. */
export function ImportReport({ job, children }: { readonly job: Import; readonly children: ReactNode }) {
  const t = useTexts('imports');
  const { report } = job;
  const counts: [CountName, number | null][] = [
    ['notes', report.notes],
    ['attachments', report.attachments],
    ['unchanged', report.unchanged],
    ['renamed', report.renamed_count],
    ['skipped', report.skipped_count],
    ['dangling', report.dangling],
  ];
  const isEmpty = report.notes + report.attachments === 0;
  return (
    <section className={styles.report} aria-labelledby="import-report">
      <div role="status">
        <h2 id="import-report">{t(job.dry_run ? 'report' : 'result')}</h2>
      </div>
      <dl className={styles.counts}>
        {counts.map(([name, count]) =>
          count === null ? null : (
            <div key={name}>
              <dt>{t(`count.${name}`)}</dt>
              <dd>{count.toLocaleString(i18next.language)}</dd>
            </div>
          ),
        )}
      </dl>
      {report.root === null ? null : <p className={styles.about}>{t('root', { name: report.root })}</p>}
      {isEmpty && job.dry_run ? <p className={styles.about}>{t('nothing')}</p> : null}
      <Renamed report={report} />
      <Skipped report={report} />
      {(report.dangling ?? 0) > 0 ? (
        <p className={styles.about}>
          <Link to="/vaults/$vaultId/dangling" params={{ vaultId: job.vault_id }}>
            {t('showDangling')}
          </Link>
        </p>
      ) : null}
      {children}
    </section>
  );
}

type Report = Import['report'];

function Renamed({ report: { renamed, renamed_count } }: { readonly report: Report }) {
  const t = useTexts('imports');
  if (renamed_count === 0) return null;
  return (
    <details className={styles.details}>
      <summary>{t('renamedTitle', { count: renamed_count })}</summary>
      <OnlyFirst listed={renamed.length} all={renamed_count} />
      <ul>
        {renamed.map(({ from, to }) => (
          <li key={to} dir="auto">
            {t('renamedTo', { from, to })}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Skipped({ report: { skipped, skipped_count } }: { readonly report: Report }) {
  const t = useTexts('imports');
  if (skipped_count === 0) return null;
  return (
    <details className={styles.details}>
      <summary>{t('skippedTitle', { count: skipped_count })}</summary>
      <OnlyFirst listed={skipped.length} all={skipped_count} />
      {skippedByReason(skipped).map(([reason, paths]) => (
        <div key={reason}>
          <h3>
            {t(`reason.${reasonOf(reason)}`)} ({paths.length})
          </h3>
          <ul>
            {paths.map((path) => (
              <li key={path} dir="auto">
                {path}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}

function OnlyFirst({ listed, all }: { readonly listed: number; readonly all: number }) {
  const t = useTexts('imports');
  return listed === all ? null : <p className={styles.about}>{t('onlyFirst', { count: listed })}</p>;
}

const REASONS = [
  'unsafe_path',
  'hidden',
  'link',
  'special_file',
  'encrypted',
  'unsupported',
  'ratio',
  'too_large',
  'not_utf8',
  'damaged',
  'type_not_allowed',
  'limit_exceeded',
  'conflict',
] as const;

/** A newer server may have further reasons. */
function reasonOf(reason: string): (typeof REASONS)[number] | 'other' {
  return REASONS.find((name) => name === reason) ?? 'other';
}
