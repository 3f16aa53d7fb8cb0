import {
  type Environment,
  type GivenFlags,
  type SettingName,
  type SettingRule,
  type Settings,
  settingRules,
} from './settings.js';
import { isKubernetesAddress, WrongValue } from './values.js';

/** The error for settings that cannot be used: one line for each. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/**
 * Reads the settings. A flag has precedence over its variable, a variable over the default; an empty variable counts as
 * absent. Throws `WrongSettings` with a line for every invalid setting.
 */
export function readSettings(flags: GivenFlags, environment: Environment): Settings {
  const lines: string[] = [];
  const settings: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of Object.entries(settingRules) as [SettingName, SettingRule<unknown>][]) {
    const given = flags[name];
    const variable = givenIn(environment, setting.variable);
    settings[name] = setting.default;
    try {
      if (given !== undefined) settings[name] = setting.parse([given].flat().map(String));
      else if (variable !== undefined) settings[name] = setting.parse([variable]);
    } catch (cause) {
      if (!(cause instanceof WrongValue)) throw cause;
      const source = given !== undefined ? setting.flag.split(' ')[0] : setting.variable;
      lines.push(`${source}${setting.secret ? '' : ` ${cause.value}`}: ${cause.message}`);
    }
  }
  const complete = settings as Settings;
  if (lines.length === 0) lines.push(...contradictions(complete, flags));
  if (lines.length > 0) throw new WrongSettings(lines);
  return complete;
}

/** The value of a variable; undefined when it is empty, or set by Kubernetes for a service named `basedrive`. */
function givenIn(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === undefined || value === '' || isKubernetesAddress(value) ? undefined : value;
}

function contradictions(settings: Settings, flags: GivenFlags): string[] {
  const lines: string[] = [];
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    lines.push('--tls-cert and --tls-key: give both or neither');
  }
  if (settings.https && settings.tlsCert !== undefined) {
    lines.push('--https: makes a certificate; give either --https, or --tls-cert and --tls-key');
  }
  if (settings.hostnames.length > 0 && !settings.https) {
    lines.push(
      '--hostname: is for the certificate of --https; to choose where the server listens, give --host',
    );
  }
  if (settings.memory && (settings.items !== undefined || settings.blobs !== undefined)) {
    lines.push('--memory: stores rows and bytes in memory; give neither --items nor --blobs with it');
  }
  // The variable may be part of an image, and says only where data would be.
  if (settings.memory && flags.dataFolder !== undefined) {
    lines.push('--memory: nothing is stored in a folder; do not give --data with it');
  }
  if (settings.headerTimeoutMs > settings.requestTimeoutMs) {
    lines.push('--header-timeout: must not be longer than --request-timeout, which includes the head');
  }
  return lines;
}
