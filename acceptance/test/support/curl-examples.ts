/** An example in a page: requests, and the answer to the last one. */
export interface Example {
  /** Its line in the page, for error messages. */
  readonly line: number;
  readonly commands: readonly string[];
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A parsed `curl` command, as far as the examples need it. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

const block = /```(\w+)\n([\s\S]*?)\n```/g;

/** The shell blocks with `curl`, each with the HTTP block that must follow it. */
export function readExamples(markdown: string): Example[] {
  const blocks = Array.from(markdown.matchAll(block), ({ 1: language, 2: text = '', index }) => {
    return { language, text, line: markdown.slice(0, index).split('\n').length };
  });
  return blocks.flatMap(({ language, text, line }, at): Example[] => {
    if (language !== 'sh' || !text.includes('curl')) return [];
    const answer = blocks[at + 1];
    if (answer?.language !== 'http') throw new Error(`The request in line ${line} has no answer below it`);
    const [head = '', body = ''] = answer.text.split('\n\n');
    const [statusLine = '', ...headers] = head.split('\n');
    return [
      {
        line,
        commands: text.replaceAll('\\\n', ' ').split('\n'),
        status: Number(statusLine.split(' ')[1]),
        headers: headers.map((header) => splitHeader(header)),
        body,
      },
    ];
  });
}

/** Parses a command as a shell and `curl` would. Throws for everything that it does not support. */
export function readCurl(command: string, variables: Readonly<Record<string, string>>): CurlRequest {
  const piped = /^head -c (\d+) \/dev\/zero \| (.*)$/.exec(command);
  const printed = /^printf (?:-- )?'([^']*)' \| (.*)$/.exec(command);
  const [program, ...words] = shellWords(piped?.[2] ?? printed?.[2] ?? command, variables);
  if (program !== 'curl') throw new Error(`Not a curl command: ${command}`);
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let url: string | undefined;
  let body: string | Buffer | undefined;
  while (words.length > 0) {
    const word = words.shift() as string;
    const value = () => words.shift() ?? '';
    if (word === '-X') method = value();
    else if (word === '-H') {
      const [name, text] = splitHeader(value());
      // A shell passes the bytes of UTF-8 on, and Node takes one character for each byte.
      headers[name.toLowerCase()] = Buffer.from(text).toString('latin1');
    } else if (word === '-d' || word === '--data-binary') body = value();
    else if (word.startsWith('http')) url = word;
    else if (word !== '-i' && word !== '-s')
      throw new Error(`An option that the test does not support: ${word}`);
  }
  if (url === undefined) throw new Error(`No URL: ${command}`);
  if (body === '@-')
    body = printed?.[1]?.replaceAll('\\r', '\r').replaceAll('\\n', '\n') ?? Buffer.alloc(Number(piped?.[1]));
  // The default of curl; `-H 'Content-Type:'` removes the header.
  if (body !== undefined) headers['content-type'] ??= 'application/x-www-form-urlencoded';
  if (headers['content-type'] === '') delete headers['content-type'];
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body };
}

/** `NAME=$(curl … | sed -E 's/…(…)…/\1/')`: a variable that is a part of an answer. */
export interface Assignment {
  readonly variable: string;
  /** The `curl` command. */
  readonly command: string;
  /** The value of the variable, as `sed` takes it from the body of the answer. */
  readonly valueIn: (body: string) => string;
}

/** Reads a command that assigns a variable; undefined for every other command. */
export function readAssignment(command: string): Assignment | undefined {
  const [, variable, request, pattern] = /^(\w+)=\$\((.+?) \| sed -E 's\/(.+)\/\\1\/'\)$/.exec(command) ?? [];
  if (variable === undefined || request === undefined || pattern === undefined) return undefined;
  return { variable, command: request, valueIn: (body) => body.replace(new RegExp(pattern), '$1') };
}

/** Whether a text is as expected, where `…` matches any text. */
export function matchesText(actual: string, expected: string): boolean {
  const pattern = expected.split('…').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('[\\s\\S]+')}$`).test(actual);
}

function splitHeader(header: string): [name: string, value: string] {
  const colon = header.indexOf(':');
  return [header.slice(0, colon), header.slice(colon + 1).trim()];
}

/** Splits a command into words and removes quotes. Variables are expanded within double quotes and without quotes. */
function shellWords(command: string, variables: Readonly<Record<string, string>>): string[] {
  const pieces = /'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)|(\s+)/g;
  const words: string[] = [];
  let word: string | undefined;
  const expand = (text: string) =>
    text.replace(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`No variable ${name}`);
      return value;
    });
  for (const [, single, double, bare, space] of command.matchAll(pieces)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? expand(double?.replace(/\\(.)/g, '$1') ?? bare ?? ''));
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
