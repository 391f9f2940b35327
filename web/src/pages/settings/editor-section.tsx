import { useTexts } from '../../i18n/use-texts.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { Choice } from '../../ui/controls/field.tsx';
import {
  changeEditorSettings,
  type EditorSettings,
  editorSettings,
  LINE_WIDTHS,
} from '../../workspace/editor-settings.ts';
import styles from './settings.module.css';

const SWITCHES = ['isSpellChecked', 'hasLineNumbers', 'isVim'] as const;
const MODES = ['preview', 'source'] as const;

/** How somebody likes to write. Each change is kept at once. */
export function EditorSection() {
  const t = useTexts('settings');
  const settings = useObservable(editorSettings);
  return (
    <section className={styles.section} aria-labelledby="editor">
      <h2 id="editor">{t('editor.title')}</h2>
      <p>{t('editor.about')}</p>
      <div className={styles.options}>
        <Choice
          label={t('editor.writing')}
          hint={t('editor.writingHint')}
          value={settings.writing}
          onChange={({ target }) => changeEditorSettings({ writing: target.value as EditorSettings['writing'] })}
        >
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {t(`editor.${mode}`)}
            </option>
          ))}
        </Choice>
        <Choice
          label={t('editor.lineWidth')}
          value={settings.lineWidth}
          onChange={({ target }) => changeEditorSettings({ lineWidth: target.value as EditorSettings['lineWidth'] })}
        >
          {LINE_WIDTHS.map((width) => (
            <option key={width} value={width}>
              {t(`editor.${width}`)}
            </option>
          ))}
        </Choice>
        {SWITCHES.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={settings[name]}
              onChange={({ target }) => changeEditorSettings({ [name]: target.checked })}
            />
            {t(`editor.${name}`)}
          </label>
        ))}
      </div>
    </section>
  );
}
