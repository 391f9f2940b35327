import type { Session } from '@notevault/protocol/accounts.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Time } from '../../ui/text/time.tsx';
import lists from '../lists/lists.module.css';
import { browserName } from './browser-name.ts';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** List of the account's sessions. */
export function SessionsPage() {
  const t = useTexts('settings');
  const { data: sessions } = useSuspenseQuery({ queryKey: keys.sessions, queryFn: account.sessions });
  const endingOthers = useChange(account.endOtherSessions, keys.sessions, t('sessions.endedOthers'));
  useWindowTitle(t('sessions.title'));
  return (
    <>
      <h1>{t('sessions.title')}</h1>
      <section className={styles.section} aria-label={t('sessions.title')}>
        <p>{t('sessions.about')}</p>
        <ul className={lists.rows}>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
        {sessions.length < 2 ? null : (
          <div>
            <Button look="danger" onClick={() => endingOthers.mutate(undefined)}>
              {t('sessions.endOthers')}
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

function SessionRow({ session: { id, current, last_used_at, ip, user_agent, method } }: { readonly session: Session }) {
  const t = useTexts('settings');
  const ending = useChange(account.endSession, keys.sessions);
  const name = browserName(user_agent) ?? t('sessions.unknown');
  return (
    <li className={lists.row}>
      <span className={lists.name}>
        {name} {current ? <span className={styles.badge}>{t('sessions.current')}</span> : null}
      </span>
      <span className={lists.buttons}>
        {current ? null : (
          <Button aria-label={`${t('sessions.end')}: ${name}`} onClick={() => ending.mutate(id)}>
            {t('sessions.end')}
          </Button>
        )}
      </span>
      <span className={lists.about}>
        <Time at={last_used_at} />
        {ip === null ? null : ` · ${ip}`}
        {` · ${t(`sessions.method.${method}`)}`}
      </span>
    </li>
  );
}
