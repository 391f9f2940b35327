import type { AdminHealth } from '@notevault/protocol/admin.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import i18next, { type TFunction } from 'i18next';
import { healthQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { bytes } from '../../ui/text/bytes.ts';
import { ServerChecks } from '../checks/server-checks.tsx';
import styles from '../settings/settings.module.css';
import { durationText } from './duration-text.ts';

/** The state of the server, its totals, and whether it is set up well. */
export function HealthPage() {
  const t = useTexts('admin');
  const { data: health } = useSuspenseQuery(healthQuery);
  useWindowTitle(t('health.title'));
  return (
    <>
      <h1>{t('health.title')}</h1>
      <section className={styles.section} aria-labelledby="totals">
        <h2 id="totals">{t('health.totals')}</h2>
        <dl className={styles.facts}>
          {factsOf(health, t).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className={styles.section} aria-labelledby="checks">
        <h2 id="checks">{t('health.checks')}</h2>
        <ServerChecks />
      </section>
    </>
  );
}

function factsOf(health: AdminHealth, t: TFunction<'admin'>): [name: string, value: string][] {
  const { language } = i18next;
  const number = (count: number) => count.toLocaleString(language);
  const { last_backup_at: backup, backup_failed_at: failed } = health;
  const time = (iso: string) => new Date(iso).toLocaleString(language);
  return [
    [t('health.users'), number(health.users)],
    [t('health.suspended'), number(health.suspended_users)],
    [t('health.sessions'), number(health.sessions)],
    [t('health.vaults'), number(health.vaults)],
    [t('health.notes'), number(health.notes)],
    [t('health.attachments'), number(health.attachments)],
    [t('health.size'), bytes(health.attachment_bytes, language)],
    [t('health.version'), health.version],
    [t('health.uptime'), durationText(health.uptime_seconds, language)],
    [t('health.database'), health.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
    [t('health.memory'), bytes(health.memory_bytes, language)],
    [t('health.backup'), backup === null ? t('health.never') : time(backup)],
    [t('health.mail'), mailText(health, t, time)],
    ...(health.mails_waiting === 0 ? [] : [fact(t('health.mailsWaiting'), number(health.mails_waiting))]),
    ...(health.mails_dropped === 0 ? [] : [fact(t('health.mailsDropped'), number(health.mails_dropped))]),
    ...(failed === null ? [] : [[t('health.failed'), time(failed)] as [string, string]]),
  ];
}

const fact = (name: string, value: string): [string, string] => [name, value];

function mailText(
  { mail, mail_failed_at: at, mail_failure: reason }: AdminHealth,
  t: TFunction<'admin'>,
  time: (iso: string) => string,
): string {
  if (!mail) return t('health.mailOff');
  return at === null ? t('health.mailOn') : t('health.mailFailing', { at: time(at), reason });
}
