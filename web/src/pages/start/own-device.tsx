import { watchTab } from '../../device/tab-session.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { isOwnDevice, setOwnDevice } from '../../session/own-device.ts';
import styles from './start-card.module.css';

const NAME = 'own_device';

/** Asks whether this browser may keep anything of the account. */
export function OwnDevice() {
  const t = useTexts('start');
  return (
    <div className={styles.choice}>
      <label>
        <input type="checkbox" name={NAME} defaultChecked={isOwnDevice()} aria-describedby="own-device-about" />{' '}
        {t('ownDevice')}
      </label>
      <p id="own-device-about">{t('ownDeviceHint')}</p>
    </div>
  );
}

/** Returns the answer in a form. */
export function hasOwnDevice(form: FormData): boolean {
  return form.has(NAME);
}

/** Records the answer before anything is kept; returns what the server is told of it. */
export function takeOwnDevice(form: FormData): { readonly remember: boolean } {
  const remember = hasOwnDevice(form);
  form.delete(NAME);
  setOwnDevice(remember);
  if (!remember) watchTab();
  return { remember };
}
