import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import styles from './settings.module.css';

/** A new secret, which is never shown again, with a button that copies it. */
export function ShownOnce({ about, secret }: { readonly about: string; readonly secret: string }) {
  return (
    <Notice kind="ok">
      <p>{about}</p>
      <div className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
    </Notice>
  );
}
