import { Agent, type RequestOptions, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';

/** How requests of a project are sent to its server. */
export interface ProjectAddress {
  readonly project: string;
  readonly key: string;
  /** The beginning of every path: `/v1/{project}`. */
  readonly root: string;
  /** Where the server is, for people. */
  readonly shown: string;
  /** Begins a request. */
  readonly send: typeof sendHttp;
  readonly options: RequestOptions;
  /** Ends every request. */
  readonly signal?: AbortSignal;
}

/** Requests that are in progress at once: a few files, and parts of a large one. */
const maxConnections = 8;
const agentOptions = { keepAlive: true, maxSockets: maxConnections };

/** The project of a key on the server at a URL, which may have a path. */
export function addressOfUrl(url: URL, project: string, key: string): ProjectAddress {
  const secure = url.protocol === 'https:';
  return {
    project,
    key,
    root: `${url.pathname.replace(/\/+$/, '')}/v1/${encodeURIComponent(project)}`,
    shown: url.origin,
    send: secure ? sendHttps : sendHttp,
    options: {
      protocol: url.protocol,
      // A URL has the brackets of an IPv6 address, a host name has not.
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      agent: secure ? new HttpsAgent(agentOptions) : new Agent(agentOptions),
    },
  };
}

/** A project on a server that answers on a Unix socket for its owner, who needs no secret. */
export function addressOfSocket(socketPath: string, project: string): ProjectAddress {
  return {
    project,
    key: `${project}_owner`,
    root: `/v1/${encodeURIComponent(project)}`,
    shown: socketPath,
    send: sendHttp,
    options: { socketPath, agent: new Agent(agentOptions) },
  };
}

/** Closes the connections that wait for further requests. */
export function closeConnections({ options: { agent } }: ProjectAddress): void {
  if (agent instanceof Agent) agent.destroy();
}
