import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce } from '../../src/lib/concurrency/time-slices.js';
import { readXml, textIn } from '../../src/s3/xml/read-xml.js';
import { writeXml } from '../../src/s3/xml/write-xml.js';

const read = (text: string | Buffer) => runAtOnce(readXml(Buffer.from(text), 'Delete'));

describe('XML of S3 requests', () => {
  test('is read with prefixes, entities of XML, CDATA and comments', () => {
    const root = read(
      '<?xml version="1.0"?><s:Delete xmlns:s="x"><!-- c --><Key>a &lt;&amp;&#233; <![CDATA[<b>]]></Key></s:Delete>',
    );
    assert.equal(textIn(root, 'Key'), 'a <&é <b>');
  });

  const hostile: Readonly<Record<string, string | Buffer>> = {
    'an entity of its own': '<!DOCTYPE Delete [<!ENTITY a "b">]><Delete>&a;</Delete>',
    'a file as an entity': '<!DOCTYPE Delete [<!ENTITY a SYSTEM "file:///etc/passwd">]><Delete>&a;</Delete>',
    'a thousand laughs': `<!DOCTYPE Delete [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n} "&a;&a;">`).join('')}]><Delete>&a19;</Delete>`,
    'an unknown entity': '<Delete>&nbsp;</Delete>',
    'a depth of 11': `<Delete>${'<a>'.repeat(11)}${'</a>'.repeat(11)}</Delete>`,
    'an endless depth': `<Delete>${'<a>'.repeat(1_000_000)}`,
    'an endless text': `<Delete><Key>${'a'.repeat(100_000)}</Key></Delete>`,
    'too many elements': `<Delete>${'<a/>'.repeat(200_000)}</Delete>`,
    'two roots': '<Delete/><Delete/>',
    'another root': '<Create/>',
    'an open element': '<Delete><Key>a</Key>',
    'a wrong end': '<Delete><Key>a</Delete></Key>',
    'bytes that are no UTF-8': Buffer.from([0x3c, 0x44, 0xff, 0x3e]),
    'no XML': '{"Delete":[]}',
    nothing: '',
  };
  for (const [name, text] of Object.entries(hostile)) {
    test(`is refused with ${name}`, () => {
      assert.throws(() => read(text), { code: 'MalformedXML' });
    });
  }

  test('says how much memory its elements and its text take, unless it is small', () => {
    const asked = (elements: number) => {
      let bytes = 0;
      for (const more of readXml(Buffer.from(`<Delete>${'<a/>'.repeat(elements)}</Delete>`), 'Delete'))
        bytes += more ?? 0;
      return bytes;
    };
    assert.equal(asked(100), 0);
    // Measured: 93 bytes an element, and up to 2 for each of its 4 characters in the text.
    assert.ok(asked(99_999) > 99_999 * (93 + 8), `${asked(99_999)} bytes`);
  });

  for (const [name, begin, repeated] of [
    ['a name', '<', 'a'],
    ['an attribute', '<Delete a="', 'a'],
    ['a comment', '<Delete><!--', '- '],
    ['a text of references', '<Delete>', '&amp;'],
    ['a document type', '<!DOCTYPE d [', 'a'],
    ['an instruction', '<?', 'a'],
  ] as const) {
    test(`is refused as soon as ${name} is too long, and not read to its end`, () => {
      const body = Buffer.from(begin + repeated.repeat((8 * 1024 ** 2) / repeated.length));
      const steps = readXml(body, 'Delete');
      let taken = 0;
      assert.throws(
        () => {
          while (steps.next().done !== true) taken++;
        },
        { code: 'MalformedXML' },
      );
      assert.ok(taken < 100, `${taken} steps were taken`);
    });
  }

  test('is read in short steps: 8 MiB keep nobody waiting', () => {
    const body = Buffer.from(
      `<Delete>${`<Object><Key>${'k'.repeat(1000)}</Key></Object>`.repeat(8000)}</Delete>`,
    );
    const steps = readXml(body, 'Delete');
    let count = 0;
    for (;;) {
      const step = steps.next();
      count++;
      if (step.done) break;
    }
    assert.ok(count > 400, `${count} steps`);
  });

  test('that is written can be read again, whatever the names', () => {
    const name = '<a&"\'>\r\n\t\u0001 ]]> 😀';
    const root = read(writeXml('Delete', { Key: name, Other: ['x', 'y'], None: undefined }));
    assert.equal(textIn(root, 'Key'), name.replace('\u0001', '\ufffd'));
    assert.equal(root.elements.length, 3);
  });
});
