import type { Setting as AppSetting } from '@notevault/sync/rules/settings-files.ts';
import { Notice, type Plugin, PluginSettingTab, Setting, type SettingDefinitionItem } from 'obsidian';
import { addressOf, isOpenToAll } from '../sync/connect.ts';
import { type TextKey, text } from '../texts/texts.ts';
import { AskModal } from './dialogs.ts';
import { factTexts, stateText } from './facts-texts.ts';
import type { PluginData } from './plugin-data.ts';
import { StatusModal } from './status-modal.ts';
import type { SyncController } from './sync-controller.ts';
import { warningsOf } from './warnings.ts';

export interface SettingsOptions {
  readonly controller: SyncController;
  data(): PluginData;
  /** Stores and uses changed settings. */
  change(data: Partial<PluginData>): Promise<void>;
  connect(): void;
}

interface Row {
  readonly name: string;
  readonly desc?: string;
  readonly build: (setting: Setting) => void;
}

const APP_SETTINGS: readonly (readonly [AppSetting, TextKey])[] = [
  ['app', 'setApp'],
  ['appearance', 'setAppearance'],
  ['themes', 'setThemes'],
  ['hotkeys', 'setHotkeys'],
  ['core-plugins', 'setCore'],
  ['community-plugins', 'setCommunity'],
];

/** The rows of the settings: the app of 1.13 asks for definitions, an older one has them displayed. */
export class SettingsTab extends PluginSettingTab {
  readonly #options: SettingsOptions;

  constructor(plugin: Plugin, options: SettingsOptions) {
    super(plugin.app, plugin);
    this.#options = options;
  }

  override display(): void {
    this.containerEl.empty();
    const warnings = this.containerEl.createDiv();
    void warningsOf(this.app).then((found) => {
      for (const warning of found) warnings.createEl('p', { text: warning, cls: 'notevault-warning' });
    });
    for (const row of this.#rows()) {
      const setting = new Setting(this.containerEl).setName(row.name);
      if (row.desc !== undefined) setting.setDesc(row.desc);
      row.build(setting);
    }
    for (const row of this.#appRows()) row.build(new Setting(this.containerEl).setName(row.name));
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    const definition = ({ name, desc, build }: Row) => ({ name, ...(desc !== undefined && { desc }), render: build });
    return [
      ...this.#rows().map(definition),
      { type: 'group', heading: text('setSettings'), items: this.#appRows().map(definition) },
    ];
  }

  #rows(): Row[] {
    const { controller } = this.#options;
    const { connection } = controller;
    const status: Row = {
      name: stateText(controller.facts),
      desc: factTexts(controller.facts).join(' · '),
      build: (setting) =>
        void setting.addButton((button) =>
          button.setButtonText(text('status')).onClick(() => new StatusModal(this.app, controller).open()),
        ),
    };
    const link: Row = {
      name: text('setVault'),
      desc:
        connection === null
          ? text('notConnected')
          : text('setVaultOn', { vault: connection.vaultName, url: connection.url }),
      build: (setting) =>
        void setting.addButton((button) =>
          button.setButtonText(text('connect')).onClick(() => this.#options.connect()),
        ),
    };
    return connection === null
      ? [status, link]
      : [status, link, this.#addressRow(), this.#exclusionsRow(), this.#limitRow(), this.#checksRow(), this.#endRow()];
  }

  #addressRow(): Row {
    const { controller } = this.#options;
    let typed = controller.connection?.url ?? '';
    return {
      name: text('address'),
      desc: text('addressHint'),
      build: (setting) =>
        void setting
          .addText((field) =>
            field.setValue(typed).onChange((value) => {
              typed = value;
            }),
          )
          .addButton((button) =>
            button.setButtonText(text('doIt')).onClick(async () => {
              const address = addressOf(typed);
              if (address === null) return void new Notice(text('addressWrong'));
              if (isOpenToAll(address)) new Notice(text('openHttp'));
              new Notice(text((await controller.move(address)) ? 'addressSaved' : 'addressOther'));
            }),
          ),
    };
  }

  #exclusionsRow(): Row {
    return {
      name: text('setExclusions'),
      desc: text('setExclusionsHint'),
      build: (setting) =>
        void setting.addTextArea((area) =>
          area.setValue(this.#options.data().exclusions).onChange((exclusions) => this.#options.change({ exclusions })),
        ),
    };
  }

  #limitRow(): Row {
    return {
      name: text('setLimit'),
      desc: text('setLimitHint'),
      build: (setting) =>
        void setting.addText((field) =>
          field.setValue(`${this.#options.data().phoneMegabytes ?? ''}`).onChange(async (value) => {
            const typed = value.trim();
            const isLimit = /^\d+(\.\d+)?$/.test(typed) && Number(typed) > 0;
            const isWrong = typed !== '' && !isLimit;
            setting.setDesc(text(isWrong ? 'setLimitWrong' : 'setLimitHint'));
            if (!isWrong) await this.#options.change({ phoneMegabytes: isLimit ? Number(typed) : null });
          }),
        ),
    };
  }

  #checksRow(): Row {
    return {
      name: text('setChecks'),
      desc: text('setChecksHint'),
      build: (setting) =>
        void setting.addToggle((toggle) =>
          toggle.setValue(this.#options.data().hasChecks).onChange((hasChecks) => this.#options.change({ hasChecks })),
        ),
    };
  }

  #endRow(): Row {
    const { controller } = this.#options;
    const end = async () => {
      await controller.disconnect();
      new Notice(text('disconnected'));
    };
    return {
      name: text('disconnect'),
      desc: text('disconnectHint'),
      build: (setting) =>
        void setting.addButton((button) =>
          button
            .setButtonText(text('disconnect'))
            .onClick(() => new AskModal(this.app, text('disconnectHint'), text('disconnect'), end).open()),
        ),
    };
  }

  #appRows(): Row[] {
    const { settings } = this.#options.data();
    return APP_SETTINGS.map(([group, key]) => ({
      name: text(key),
      build: (setting) =>
        void setting.addToggle((toggle) =>
          toggle.setValue(settings.includes(group)).onChange((isOn) => {
            const others = this.#options.data().settings.filter((one) => one !== group);
            return this.#options.change({ settings: isOn ? [...others, group] : others });
          }),
        ),
    }));
  }
}
