import type { Environment } from '../../config/settings.js';
import { OperatorError } from '../../operator-error.js';

/** The standard variables of OpenTelemetry that Basedrive checks. Its SDK reads these and others by itself. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];
const defaultUrl = 'http://localhost:4318';
const protocol = 'http/json';

/**
 * Where spans are sent: the URL without a password. Throws `OperatorError` for a variable whose value the SDK would
 * only ignore.
 */
export function collectorUrl(environment: Environment): string {
  checkSampler(environment);
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const given = environment[name]?.trim();
    if (given) {
      if (given !== protocol) throw new OperatorError(`${name}: must be ${protocol}, not ${given}`);
      break;
    }
  }
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
  if (own) return shown('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own);
  const base = environment.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() || defaultUrl;
  return `${shown('OTEL_EXPORTER_OTLP_ENDPOINT', base).replace(/\/$/, '')}/v1/traces`;
}

/** The files with which a collector is reached over HTTPS, by the option of `https.request` that takes their content. */
export function collectorFiles(
  environment: Environment,
): readonly { readonly option: 'ca' | 'cert' | 'key'; readonly variable: string; readonly path: string }[] {
  const options = [
    ['ca', 'CERTIFICATE'],
    ['cert', 'CLIENT_CERTIFICATE'],
    ['key', 'CLIENT_KEY'],
  ] as const;
  return options.flatMap(([option, name]) => {
    const variables = [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`];
    const variable = variables.find((each) => environment[each]?.trim());
    return variable === undefined ? [] : [{ option, variable, path: environment[variable]?.trim() ?? '' }];
  });
}

function shown(variable: string, text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new OperatorError(`${variable}: must be a URL such as ${defaultUrl}`);
  }
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

function checkSampler({ OTEL_TRACES_SAMPLER: given, OTEL_TRACES_SAMPLER_ARG: ratio }: Environment): void {
  const sampler = given?.trim();
  if (!sampler) return;
  if (!samplers.includes(sampler))
    throw new OperatorError(`OTEL_TRACES_SAMPLER: must be one of ${samplers.join(', ')}`);
  if (!sampler.endsWith('traceidratio')) return;
  const share = Number(ratio?.trim() || Number.NaN);
  if (!(share >= 0 && share <= 1))
    throw new OperatorError(`OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1 with ${sampler}`);
}
