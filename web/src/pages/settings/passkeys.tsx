import type { Passkey } from '@notevault/protocol/passkeys.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Time } from '../../ui/text/time.tsx';
import lists from '../lists/lists.module.css';
import { anonymous } from '../start/start-api.ts';
import { browserName } from './browser-name.ts';
import styles from './settings.module.css';
import { account } from './settings-api.ts';
import { useSignInErrorText } from './sign-in-error.ts';

/** Adds passkeys, and lists those of the account. */
export function Passkeys() {
  const t = useTexts('settings');
  const { data: passkeys = [] } = useQuery({ queryKey: keys.passkeys, queryFn: account.passkeys });
  // Only some addresses of a server allow passkeys.
  const { data: server } = useQuery({ queryKey: keys.bootstrap, queryFn: anonymous.bootstrap });
  const adding = useChange(addPasskey, keys.passkeys, undefined, useSignInErrorText());
  const isOffered = server?.methods.includes('passkey') ?? false;
  if (!isOffered && passkeys.length === 0) return null;
  return (
    <section className={styles.section} aria-labelledby="passkeys">
      <h2 id="passkeys">{t('passkeys.title')}</h2>
      <p>{t('passkeys.about')}</p>
      {passkeys.length === 0 ? null : (
        <ul className={lists.rows}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {isOffered ? (
        <div>
          <Button aria-disabled={adding.isPending} onClick={() => adding.mutate(undefined)}>
            {t('passkeys.add')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

async function addPasskey(): Promise<void> {
  const { createPasskey } = await import('../../session/passkey.ts');
  const made = await createPasskey(await account.startPasskey());
  const name = browserName(navigator.userAgent);
  if (made !== null) await account.addPasskey({ ...made, ...(name === null ? {} : { name }) });
}

function PasskeyRow({ passkey }: { readonly passkey: Passkey }) {
  const { id, name, host, synced, last_used_at, copied_at } = passkey;
  const t = useTexts('settings');
  const confirm = useConfirm();
  const [isRenamed, setRenamed] = useState(false);
  const deleting = useChange(account.deletePasskey, keys.passkeys, undefined, useSignInErrorText());
  const ask = () =>
    confirm.ask({
      title: t('passkeys.deleteTitle', { name }),
      text: t('passkeys.deleteText'),
      yes: t('passkeys.delete'),
      run: () => deleting.mutate(id),
    });
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {name} {synced ? <span className={styles.badge}>{t('passkeys.synced')}</span> : null}
      </span>
      <span className={lists.buttons}>
        <Button aria-label={`${t('passkeys.rename')}: ${name}`} onClick={() => setRenamed(true)}>
          {t('passkeys.rename')}
        </Button>
        <Button look="danger" aria-label={`${t('passkeys.delete')}: ${name}`} onClick={ask}>
          {t('passkeys.delete')}
        </Button>
      </span>
      <span className={lists.about}>
        {last_used_at === null ? t('passkeys.unused') : <Time at={last_used_at} />}
        {` · ${host}`}
        {copied_at === null ? null : <Notice kind="danger">{t('passkeys.copied')}</Notice>}
      </span>
      {isRenamed ? <Rename passkey={passkey} close={() => setRenamed(false)} /> : null}
      {confirm.dialog}
    </li>
  );
}

function Rename({ passkey, close }: { readonly passkey: Passkey; readonly close: () => void }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const renaming = useChange(account.renamePasskey, keys.passkeys);
  return (
    <Dialog title={t('passkeys.rename')} close={close}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name'));
          renaming.mutate({ id: passkey.id, name }, { onSuccess: close });
        }}
      >
        <Field label={t('passkeys.name')} name="name" defaultValue={passkey.name} maxLength={255} required autoFocus />
        <DialogButtons>
          <Button onClick={close}>{tVault('cancel')}</Button>
          <Button look="primary" type="submit" aria-disabled={renaming.isPending}>
            {t('save')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
