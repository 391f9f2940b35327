import type { AdminUser } from '@notevault/protocol/admin.ts';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { useTexts } from '../i18n/use-texts.ts';
import styles from '../settings/settings.module.css';
import { PasswordField } from '../start/password-field.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { errorText } from '../ui/error-text.ts';
import { Notice } from '../ui/notice.tsx';
import { useAttempt } from '../ui/use-attempt.ts';

/** Erases an account with everything in it, after asking for the password of the admin. */
export function DeleteUser({ user: { id, email }, close }: { readonly user: AdminUser; readonly close: () => void }) {
  const t = useTexts('admin');
  const tVault = useTexts('vault');
  const queries = useQueryClient();
  const attempt = useAttempt();
  const erase = async (password: string) => {
    await api.admin.deleteUser(id, password);
    close();
    await queries.invalidateQueries({ queryKey: keys.admin });
  };
  return (
    <Dialog title={t('users.deleteTitle', { email })} close={close}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const password = String(new FormData(event.currentTarget).get('password'));
          attempt.run(() => erase(password));
        }}
      >
        <p>{t('users.deleteText')}</p>
        <PasswordField label={t('users.password')} name="password" />
        {attempt.error === null ? null : <Notice kind="danger">{errorText(tVault, attempt.error)}</Notice>}
        <DialogButtons>
          <Button onClick={close}>{tVault('cancel')}</Button>
          <Button look="danger" type="submit" aria-disabled={attempt.isRunning}>
            {t('users.delete')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
