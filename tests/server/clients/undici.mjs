// Node's clients against the server: node undici.mjs PORT CA FILE [undici's folder]
//
// Sends each review of FILE, one a line: by undici, which prefers HTTP/2 where allowed, with ten requests at a time on
// a connection, whole and as a stream in chunks; by fetch, which is undici; and by node:https with
// "Expect: 100-continue". Each answer must be that to the plain request. Prints {"requests": …, "wrong": […]}.

import {readFileSync} from 'node:fs';
import https from 'node:https';
import {createRequire} from 'node:module';
import {Readable} from 'node:stream';

const [port, caFile, file, folder] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const {Pool, Agent, fetch} = require(folder ?? 'undici');
const ca = readFileSync(caFile);
const reviews = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const origin = `https://localhost:${port}`;
const path = '/mutate?timeout=10s';
const headers = {'content-type': 'application/json'};

const pieces = function* (text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
};

const byUndici = (options, chunked) => {
  const pool = new Pool(origin, {connect: {ca}, connections: 2, ...options});
  return async review => {
    const body = chunked ? Readable.from(pieces(review)) : review;
    const answer = await pool.request({path, method: 'POST', headers, body, idempotent: true, blocking: false});
    return [answer.statusCode, await answer.body.text()];
  };
};

const byFetch = chunked => {
  const dispatcher = new Agent({connect: {ca}, allowH2: true, pipelining: 10, connections: 4});
  return async review => {
    const body = chunked ? Readable.toWeb(Readable.from(pieces(review))) : review;
    const answer = await fetch(origin + path, {method: 'POST', headers, body, dispatcher, duplex: 'half'});
    return [answer.status, await answer.text()];
  };
};

let continued = 0;
const byHttps = () => {
  const agent = new https.Agent({ca, keepAlive: true, maxSockets: 4});
  return review => new Promise((done, failed) => {
    const asked = https.request(origin + path, {method: 'POST', agent, headers: {...headers, expect: '100-continue'}});
    asked.on('continue', () => { ++continued; asked.end(review); });
    asked.on('error', failed);
    asked.on('response', async answer => {
      let text = '';
      for await (const piece of answer.setEncoding('utf8')) text += piece;
      done([answer.statusCode, text]);
    });
    asked.flushHeaders();
  });
};

const ways = {
  'undici, pipelining 10': byUndici({pipelining: 10}, false),
  'undici, pipelining 10, chunks': byUndici({pipelining: 10}, true),
  'undici, HTTP/2 allowed': byUndici({allowH2: true}, false),
  'undici, HTTP/2 allowed, chunks': byUndici({allowH2: true}, true),
  'fetch': byFetch(false),
  'fetch, chunks': byFetch(true),
  'node:https, Expect: 100-continue': byHttps(),
};

const plain = byUndici({pipelining: 1}, false);
const wanted = [];
for (const review of reviews) wanted.push(await plain(review));
const wrong = new Map();
const tell = what => wrong.set(what, (wrong.get(what) ?? 0) + 1);
wanted.forEach(([status]) => status === 200 || tell(`plain: ${status}`));
let requests = reviews.length;
for (const [name, ask] of Object.entries(ways)) {
  await Promise.all(reviews.map(async (review, i) => {
    ++requests;
    try {
      const [status, text] = await ask(review);
      if (status !== wanted[i][0] || text !== wanted[i][1]) tell(`${name}: another answer, ${status}`);
    } catch (error) {
      tell(`${name}: ${error} ${error.cause ?? ""}`);
    }
  }));
}
if (continued !== reviews.length) tell(`${continued} of ${reviews.length} were told to continue`);
console.log(JSON.stringify({requests, wrong: [...wrong].map(([what, times]) => `${times} x ${what}`)}));
process.exit(0);
