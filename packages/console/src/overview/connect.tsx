import { useState } from 'preact/hooks';
import { serviceAddress } from '../api/address.js';
import { bases, drives } from '../api/catalog.js';
import { quotedAddress } from '../api/command.js';
import { mayWrite, ownReach } from '../api/own-key.js';
import { recipeOf } from '../keys/s3-recipes.js';
import { CodeBlock } from '../ui/copy.js';
import { Tabs } from '../ui/tabs.js';

type Language = 'curl' | 'client' | 's3';

/**
 * How a program reaches the project: only what the key of this tab may do, so that each line works as it stands. The key
 * itself is not shown: `$KEY` stands for it.
 */
export function Connect() {
  const [chosen, setChosen] = useState<Language>('curl');
  const { isBounded, ofBases, ofDrives, prefix } = ownReach.value;
  // A new name where any will do: what is stored stays as it is.
  const isNew = mayWrite.value && !isBounded;
  const target: Target = {
    base: isNew ? 'users' : nameAmong(bases.names.value, ofBases, 'users'),
    drive: isNew ? 'notes' : nameAmong(drives.names.value, ofDrives, 'notes'),
    prefix,
  };
  const commands = mayWrite.value ? writingCommands(target) : readingCommands(target);
  const ofS3 = { accessKeyId: '…', secretAccessKey: '…', bucket: target.drive ?? 'photos' };
  const code = {
    s3: recipeOf('aws', ofS3),
    curl: commands.join('\n\n'),
    client: `import { Basedrive } from 'basedrive-client';

const { Base, Drive } = Basedrive(process.env.KEY, { url: '${serviceAddress}' });
${(mayWrite.value ? writingCode(target) : readingCode(target)).join('\n')}`,
  };
  return (
    <section class="panel">
      <h2>Connect</h2>
      <Tabs<Language>
        label="Language"
        chosen={chosen}
        onChoose={setChosen}
        tabs={{ curl: 'curl', client: 'JavaScript', ...(target.drive !== undefined && { s3: 'S3' }) }}
      />
      <CodeBlock code={code[chosen]} label={chosen === 'client' ? 'code' : 'commands'} />
      {chosen === 's3' && (
        <p class="hint">A new key has both if it is made with credentials for S3 clients: Keys, New key.</p>
      )}
    </section>
  );
}

/** What the lines use. The key reaches a base, a drive, or both. */
interface Target {
  readonly base: string | undefined;
  readonly drive: string | undefined;
  /** What names must begin with. */
  readonly prefix: string;
}

/** A name that the key reaches: one that is there, or one that fits its limits. */
function nameAmong(
  present: readonly string[],
  limits: readonly string[] | undefined,
  otherwise: string,
): string | undefined {
  if (limits === undefined) return present[0] ?? otherwise;
  const [first] = limits;
  return first === undefined ? undefined : (present[0] ?? first.replace(/\*$/, otherwise));
}

const header = `-H "X-API-Key: $KEY"`;
const json = JSON.stringify;
/** A text within single quotes of a shell. */
const inQuotes = (text: string) => text.replaceAll("'", `'\\''`);

function writingCommands({ base, drive, prefix }: Target): string[] {
  const key = `${prefix}ada`;
  const file = `${prefix}hello.txt`;
  if (base === undefined) {
    if (drive === undefined) return [];
    const upload = quotedAddress([drive, 'files'], { name: file });
    return [
      `curl -X POST ${upload} ${header} --data-binary 'hello'`,
      `curl ${quotedAddress([drive, 'files', 'download'], { name: file })} ${header}`,
    ];
  }
  const items = `{"items":[{"key":${json(key)},"name":"Ada","age":36}]}`;
  return [
    `curl -X PUT ${quotedAddress([base, 'items'])} \\
  ${header} -H 'Content-Type: application/json' \\
  -d '${inQuotes(items)}'`,
    `curl ${quotedAddress([base, 'items', key])} ${header}`,
  ];
}

function readingCommands({ base, drive }: Target): string[] {
  if (base !== undefined) return [`curl ${quotedAddress([base, 'items'])} ${header}`];
  return drive === undefined ? [] : [`curl ${quotedAddress([drive, 'files'])} ${header}`];
}

function writingCode({ base, drive, prefix }: Target): string[] {
  const put = `put({ name: 'Ada', age: 36 }, ${json(`${prefix}ada`)})`;
  return [
    ...(base === undefined ? [] : [`await Base(${json(base)}).${put};`]),
    ...(drive === undefined
      ? []
      : [`await Drive(${json(drive)}).put(${json(`${prefix}hello.txt`)}, 'hello');`]),
  ];
}

function readingCode({ base, drive }: Target): string[] {
  return [
    ...(base === undefined
      ? []
      : [`for await (const item of Base(${json(base)}).items()) console.log(item.key);`]),
    ...(drive === undefined ? [] : [`console.log(await Drive(${json(drive)}).list());`]),
  ];
}
