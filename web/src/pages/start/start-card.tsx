import i18next from 'i18next';
import type { ReactNode } from 'react';
import { LANGUAGES, type Language, setLanguage } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { BASE } from '../../platform/base.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './start-card.module.css';

/** Selling points of the app. */
const POINTS = [
  ['write', 'pen'],
  ['links', 'link'],
  ['files', 'plug'],
] as const;

/** Title and text that replace the standard ones. */
export type Welcome = Required<Pick<StartCardProps, 'title' | 'text'>>;

interface StartCardProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

/** The frame of the pages before an account is open. */
export function StartCard({ title, text, children, foot }: StartCardProps) {
  const t = useTexts('start');
  return (
    <main className={styles.page}>
      <div className={styles.begin}>
        <section className={styles.card} aria-labelledby="start-title">
          <div className={styles.brand}>
            <img src={`${BASE}icon.svg`} alt="" />
            Notevault
          </div>
          <div className={styles.head}>
            <h1 id="start-title">{title}</h1>
            {text === undefined ? null : <p>{text}</p>}
          </div>
          {children}
          {foot === undefined ? null : <div className={styles.foot}>{foot}</div>}
        </section>
        <LanguageChoice />
      </div>
      <ul className={styles.points}>
        {POINTS.map(([name, icon]) => (
          <li key={name}>
            <Icon name={icon} size={18} />
            <b>{t(`points.${name}`)}</b>
            <p>{t(`points.${name}Text`)}</p>
          </li>
        ))}
      </ul>
    </main>
  );
}

function LanguageChoice() {
  const t = useTexts('start');
  return (
    <select
      className={styles.language}
      aria-label={t('language')}
      value={i18next.language}
      onChange={({ target }) => void setLanguage(target.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** A form of a start page, laid out as one column. */
export function StartForm({
  submit,
  children,
}: {
  readonly submit: (form: FormData) => void;
  readonly children: ReactNode;
}) {
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}
