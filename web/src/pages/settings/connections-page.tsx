import type { Connection } from '@notevault/protocol/connections.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { connectionsQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Time } from '../../ui/text/time.tsx';
import lists from '../lists/lists.module.css';
import { ConnectCards } from './connect-cards.tsx';
import { NewToken } from './new-token.tsx';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** Applications, devices and tokens that act for the account; how to connect another one. */
export function ConnectionsPage() {
  const t = useTexts('settings');
  const { data: connections } = useSuspenseQuery(connectionsQuery);
  useWindowTitle(t('connections.title'));
  return (
    <>
      <h1>{t('connections.title')}</h1>
      <ConnectCards connections={connections} />
      <section className={styles.section} aria-labelledby="connected">
        <h2 id="connected">{t('connections.connected')}</h2>
        {connections.length === 0 ? <p>{t('connections.none')}</p> : null}
        <ul className={lists.rows}>
          {connections.map((connection) => (
            <ConnectionRow
              key={`${connection.kind} ${connection.client_id ?? connection.key_id}`}
              connection={connection}
            />
          ))}
        </ul>
      </section>
      <NewToken />
    </>
  );
}

function ConnectionRow({ connection }: { readonly connection: Connection }) {
  const t = useTexts('settings');
  const confirm = useConfirm();
  const revoking = useChange(account.revoke, keys.connections);
  const { kind, name, vault_name, last_used_at, scope } = connection;
  const shown = name ?? t('connections.unnamed');
  const ask = () =>
    confirm.ask({
      title: t('connections.revokeTitle', { name: shown }),
      text: t('connections.revokeText'),
      yes: t('connections.revoke'),
      run: () => revoking.mutate(connection),
    });
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {shown} <span className={styles.badge}>{t(`connections.kind.${kind}`)}</span>
      </span>
      <span className={lists.buttons}>
        <Button look="danger" aria-label={`${t('connections.revoke')}: ${shown}`} onClick={ask}>
          {t('connections.revoke')}
        </Button>
      </span>
      <span className={lists.about} dir="auto">
        {[vault_name, scope].filter((part) => part !== null && part !== '').join(' · ')}{' '}
        {last_used_at === null ? t('connections.unused') : <Time at={last_used_at} />}
      </span>
      {confirm.dialog}
    </li>
  );
}
