import { useState } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { session } from '../session/app-session.ts';
import { wipeBrowser } from '../session/wipe.ts';
import { PasswordField } from '../start/password-field.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { errorText } from '../ui/error-text.ts';
import { Notice } from '../ui/notice.tsx';
import { useAttempt } from '../ui/use-attempt.ts';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** Erases the account with all its vaults, after asking for its password. */
export function DeleteAccount() {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const [isAsking, setAsking] = useState(false);
  const attempt = useAttempt();
  const erase = async (password: string) => {
    await account.deleteAccount(password);
    session.end();
    await wipeBrowser();
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
        <Dialog title={t('deletion.sure')} close={() => setAsking(false)}>
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              const password = String(new FormData(event.currentTarget).get('password'));
              attempt.run(() => erase(password));
            }}
          >
            <p>{t('deletion.text')}</p>
            <PasswordField label={t('deletion.password')} name="password" />
            {attempt.error === null ? null : <Notice kind="danger">{errorText(tVault, attempt.error)}</Notice>}
            <DialogButtons>
              <Button onClick={() => setAsking(false)}>{tVault('cancel')}</Button>
              <Button look="danger" type="submit" aria-disabled={attempt.isRunning}>
                {t('deletion.ask')}
              </Button>
            </DialogButtons>
          </form>
        </Dialog>
      ) : null}
    </section>
  );
}
