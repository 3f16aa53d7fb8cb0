import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import type { Environment, Settings } from '../../config/settings.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { OperatorError } from '../../operator-error.js';
import { loadOptional } from '../../optional-packages.js';
import { collectorFiles, collectorUrl } from '../traces/collector.js';

const answersWithinMs = 3000;

/** With `--traces on`: whether the variables are right, and whether the collector answers. Sends it no trace. */
export async function traces(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  if (settings.traces === 'off') return [];
  try {
    await loadOptional('--traces on', () => import('../traces/traces.js'));
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    return [failed('traces', cause.message, 'Install them where Basedrive is installed.')];
  }
  let url: string;
  try {
    url = collectorUrl(environment);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    return [failed('traces', cause.message, 'Correct the variable: the server does not start with it.')];
  }
  const files: Record<string, Buffer> = {};
  for (const { option, variable, path } of collectorFiles(environment)) {
    const content = await readFile(path).catch((cause: Error) => cause);
    if (content instanceof Error) {
      return [
        warning(
          'traces',
          `${variable}: ${content.message}`,
          'Correct the variable: the SDK goes on without the file.',
        ),
      ];
    }
    files[option] = content;
  }
  const advice = 'Correct OTEL_EXPORTER_OTLP_ENDPOINT, or start the collector. Requests work without it.';
  try {
    const status = await statusOf(url, files);
    // The headers of the variables are left to the SDK, so a collector may ask for them.
    const answers = status < 300 || status === 401 || status === 403;
    return [
      answers
        ? ok('traces', `${url} answers`)
        : warning('traces', `${url} answers with status ${status}`, advice),
    ];
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (/PEM|OSSL/.test(code)) {
      const files =
        'Correct the files of OTEL_EXPORTER_OTLP_CERTIFICATE and its kind: the server cannot use them.';
      return [warning('traces', `a certificate or key for the collector cannot be read: ${code}`, files)];
    }
    if (!isCertificateError(code)) return [warning('traces', `${url} does not answer`, advice)];
    const trust = 'Give its authority in OTEL_EXPORTER_OTLP_CERTIFICATE, or correct the host name.';
    return [warning('traces', `${url} has a certificate that is refused: ${code}`, trust)];
  }
}

/** Sends no spans, and gives the status of the answer. */
async function statusOf(url: string, files: Readonly<Record<string, Buffer>>): Promise<number> {
  const request = (url.startsWith('https:') ? sendHttps : sendHttp)(url, {
    ...files,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    agent: false,
    signal: AbortSignal.timeout(answersWithinMs),
  });
  request.end('{"resourceSpans":[]}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.destroy();
  return response.statusCode ?? 0;
}

/** The codes of OpenSSL's verification, and of Node's comparison of names. */
function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_/.test(code);
}
