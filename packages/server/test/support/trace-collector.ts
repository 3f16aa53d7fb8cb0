import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { CertificatePair } from '../../src/server/tls/certificate-source.js';

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1: internal, 2: server. */
  readonly kind: number;
  /** 2: error. */
  readonly status: number | undefined;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** The text of all requests. */
  text(): string;
  /** The headers and path of the last request. */
  readonly last: { headers: IncomingHttpHeaders; path: string };
  /** Resolves when this many spans of servers have arrived. */
  requests(count: number): Promise<readonly ReceivedSpan[]>;
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Listed };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}
type Listed = readonly { readonly key: string; readonly value: Value }[];
interface RawSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Listed;
  readonly status: { readonly code?: number };
}

/** A collector of OTLP over HTTP, or HTTPS with a certificate. `answer` decides what it says; default: 200. */
export async function traceCollector(
  context: TestContext,
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end('{}'),
  certificate?: CertificatePair,
): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const last = { headers: {} as IncomingHttpHeaders, path: '' };
  let all = '';
  let arrived = () => {};
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await json(request)) as Exported;
    all += JSON.stringify(body);
    last.headers = request.headers;
    last.path = request.url ?? '';
    for (const { resource, scopeSpans } of body.resourceSpans) {
      for (const raw of scopeSpans.flatMap((scope) => scope.spans))
        spans.push(readSpan(raw, resource.attributes));
    }
    answer(response);
    arrived();
  };
  const server = certificate === undefined ? createServer(take) : createSecureServer(certificate, take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    last,
    text: () => all,
    async requests(count) {
      const found = () => spans.filter(({ kind }) => kind === 2);
      while (found().length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return found();
    },
  };
}

function readSpan(raw: RawSpan, resource: Listed): ReceivedSpan {
  return {
    ...raw,
    parentSpanId: raw.parentSpanId || undefined,
    status: raw.status.code,
    startNs: BigInt(raw.startTimeUnixNano),
    endNs: BigInt(raw.endTimeUnixNano),
    attributes: readAttributes(raw.attributes),
    resource: readAttributes(resource),
  };
}

function readAttributes(listed: Listed): Attributes {
  return Object.fromEntries(
    listed.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );
}
