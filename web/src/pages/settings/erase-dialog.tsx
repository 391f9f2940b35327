import { useQuery } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { PasswordField } from '../start/password-field.tsx';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

interface EraseDialogProps {
  readonly title: string;
  /** Describes what is erased. */
  readonly about: string;
  /** Names the password that is asked for. */
  readonly label: string;
  /** The text of the button that erases. */
  readonly action: string;
  readonly close: () => void;
  /** @param password null for an account without one, which is asked for another proof. */
  readonly erase: (password: string | null) => Promise<void>;
}

/** Asks for the signed-in account's password before an account is erased, and shows why that was refused. */
export function EraseDialog({ title, about, label, action, close, erase }: EraseDialogProps) {
  const t = useTexts('vault');
  const attempt = useAttempt();
  const { data } = useQuery({ queryKey: keys.signIn, queryFn: account.signIn });
  const hasPassword = data?.methods.includes('password') !== false;
  return (
    <Dialog title={title} close={close}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const password = new FormData(event.currentTarget).get('password');
          attempt.run(() => erase(password === null ? null : String(password)));
        }}
      >
        <p>{about}</p>
        {hasPassword ? <PasswordField label={label} name="password" /> : null}
        {attempt.error === null ? null : <Notice kind="danger">{errorText(t, attempt.error)}</Notice>}
        <DialogButtons>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button look="danger" type="submit" aria-disabled={attempt.isRunning}>
            {action}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
