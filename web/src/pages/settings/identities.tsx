import type { SignInSettings } from '@notevault/protocol/accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Time } from '../../ui/text/time.tsx';
import { anonymous } from '../start/start-api.ts';
import styles from './settings.module.css';
import { account } from './settings-api.ts';
import { useSignInErrorText } from './sign-in-error.ts';

/** Lists the identities at a provider that sign in to the account, and joins or removes one. */
export function Identities() {
  const t = useTexts('settings');
  const { data } = useQuery({ queryKey: keys.signIn, queryFn: account.signIn });
  const { data: server } = useQuery({ queryKey: keys.bootstrap, queryFn: anonymous.bootstrap });
  const joining = useChange(account.joinIdentity, keys.signIn);
  if (data === undefined || server?.oidc == null) return null;
  const { name } = server.oidc;
  return (
    <section className={styles.section} aria-labelledby="identities">
      <h2 id="identities">{name}</h2>
      <p>{t('identities.about', { name })}</p>
      {data.identities.map((identity) => (
        <Joined key={identity.id} identity={identity} />
      ))}
      <div>
        <Button
          aria-disabled={joining.isPending}
          onClick={() => joining.mutate(location.pathname, { onSuccess: ({ url }) => location.assign(url) })}
        >
          {t('identities.join', { name })}
        </Button>
      </div>
    </section>
  );
}

function Joined({
  identity: { id, issuer, email, last_used_at },
}: {
  readonly identity: SignInSettings['identities'][number];
}) {
  const t = useTexts('settings');
  const confirm = useConfirm();
  const removing = useChange(
    () => account.removeIdentity(id),
    keys.signIn,
    t('identities.removed'),
    useSignInErrorText(),
  );
  const ask = () =>
    confirm.ask({
      title: t('identities.removeTitle'),
      text: t('identities.removeText'),
      yes: t('identities.remove'),
      run: () => removing.mutate(undefined),
    });
  return (
    <p>
      {email ?? issuer} · <Time at={last_used_at} />{' '}
      <Button look="danger" aria-disabled={removing.isPending} onClick={ask}>
        {t('identities.remove')}
      </Button>
      {confirm.dialog}
    </p>
  );
}
