import { useState } from 'react';
import { accountId } from '../../device/sign-out.ts';
import { wipeBrowser } from '../../device/wipe.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { session } from '../../session/app-session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** Erases the account with all its vaults, after asking for its password. */
export function DeleteAccount() {
  const t = useTexts('settings');
  const [isAsking, setAsking] = useState(false);
  const erase = async (password: string | null) => {
    await account.deleteAccount(password);
    const id = accountId();
    session.end('signed-out');
    await wipeBrowser(id);
  };
  return (
    <section className={styles.section} aria-labelledby="deletion">
      <h2 id="deletion">{t('deletion.title')}</h2>
      <p>{t('deletion.about')}</p>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          {t('deletion.ask')}
        </Button>
      </div>
      {isAsking ? (
        <EraseDialog
          title={t('deletion.sure')}
          about={t('deletion.text')}
          label={t('deletion.password')}
          action={t('deletion.ask')}
          close={() => setAsking(false)}
          erase={erase}
        />
      ) : null}
    </section>
  );
}
