'use strict';

const POINTS = 60;
const FALLBACK_MILLIS = 2000;

/** What the button asks of this listener at most: four requests at once, each followed by a pause. */
const LOAD = {requests: 2000, millis: 10000, parallel: 4, pauseMillis: 20, fileBytes: 256 * 1024};

/** Figures of a listener on its card: name in /stats, label and format. */
const FIGURES = [
  ['rate', 'Requests/s', rate],
  ['requests', 'Requests', whole],
  ['connections', 'Connections', whole],
  ['threads', 'Threads', whole],
  ['transfers', 'Transfers now', whole],
  ['bytesBySendfile', 'By sendfile', bytes],
  ['bytesByCopy', 'By copy', bytes]];

const cards = new Map();
let last = null;
let load = null;
let loadFile = null;

function $(id) { return document.getElementById(id); }

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function whole(n) { return Math.round(n).toLocaleString('en'); }

function rate(n) { return n < 10 ? n.toFixed(1) : whole(n); }

function bytes(n) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (n >= 999.5 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return (unit === 0 ? whole(n) : n.toPrecision(3)) + ' ' + units[unit];
}

/* Live figures */

function chart(label, keys, format) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', `0 0 ${POINTS - 1} 100`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${label}: no figures yet`);
  const lines = keys.map((key, i) => {
    const line = document.createElementNS(ns, 'polyline');
    if (i > 0) {
      line.setAttribute('class', 'second');
    }
    svg.append(line);
    return line;
  });
  const peak = element('span', {className: 'peak'});
  const legend = keys.map((key, i) => element('span', {className: i > 0 ? 'key second' : 'key', textContent: key}));
  const series = keys.map(() => []);
  return {
    figure: element('figure', {}, svg, element('figcaption', {}, ...legend, peak)),
    add(values) {
      series.forEach((points, i) => {
        points.push(values[i]);
        points.splice(0, points.length - POINTS);
      });
      const top = Math.max(...series.flat(), 1e-9);
      lines.forEach((line, i) => line.setAttribute('points', series[i].map((value, x) =>
        `${x + POINTS - series[i].length},${98 - 94 * value / top}`).join(' ')));
      peak.textContent = 'peak ' + format(Math.max(...series.flat()));
      svg.setAttribute('aria-label', `${label}: ${values.map((v, i) => `${keys[i]} ${format(v)}`).join(', ')}`);
    }
  };
}

/** A link to this page on a listener. One that listens on all addresses has that by which the browser came. */
function page(url) {
  const origin = url.replace(/\/\/(\*|0\.0\.0\.0|\[::])(?=:)/, '//' + location.hostname);
  return element('a', {href: origin + location.pathname, textContent: url.replace(/^https?:\/\//, '')});
}

function card(listener) {
  const perSecond = n => bytes(n) + '/s';
  const requests = chart(`${listener.name} requests`, ['requests/s'], rate);
  const traffic = chart(`${listener.name} bytes sent`, ['sendfile', 'copy'], perSecond);
  const values = new Map();
  const list = element('dl', {className: 'figures'});
  for (const [name, label] of FIGURES) {
    if (name === 'rate' || name in listener) {
      const value = element('dd', {textContent: '–'});
      value.dataset.figure = name;
      values.set(name, value);
      const shared = name === 'threads' && listener.threadsShared ? ' (shared pool)' : '';
      list.append(element('div', {}, element('dt', {textContent: label + shared}), value));
    }
  }
  const title = element('h3', {textContent: listener.name});
  const where = element('p', {}, listener.url ? page(listener.url) : '');
  const article = element('article', {className: 'listener', ariaLabel: `Listener ${listener.name}`},
    element('header', {}, title, where), list, requests.figure);
  article.dataset.listener = listener.name;
  if ('bytesByCopy' in listener) {
    article.append(traffic.figure);
  }
  $('listeners').append(article);
  return {values, requests, traffic};
}

function showListener(listener, before, seconds) {
  if (!cards.has(listener.name)) {
    cards.set(listener.name, card(listener));
    $('other-listeners').hidden = cards.size < 2 || !listener.url;
  }
  const {values, requests, traffic} = cards.get(listener.name);
  const known = before && seconds > 0;
  const change = name => known ? Math.max(0, listener[name] - before[name]) / seconds : 0;
  const shown = {...listener, rate: change('requests')};
  for (const [name, , format] of FIGURES) {
    if (values.has(name) && (name !== 'rate' || known)) {
      values.get(name).textContent = format(shown[name]);
    }
  }
  if (known) {
    requests.add([shown.rate]);
    if ('bytesByCopy' in listener) {
      traffic.add([change('bytesBySendfile'), change('bytesByCopy')]);
    }
  }
}

function showProcess(stats, seconds) {
  const cores = last && seconds > 0 ? (stats.cpuMillis - last.cpuMillis) / 1000 / seconds : 0;
  const shown = [
    ['CPU', stats.cpuMillis === null ? 'unknown' : `${cores.toFixed(2)} of ${stats.processors} cores`],
    ['CPU time', stats.cpuMillis === null ? 'unknown' : `${(stats.cpuMillis / 1000).toFixed(1)} s`],
    ['Up', `${whole(stats.uptimeMillis / 1000)} s`],
    ['Server', stats.server],
    ['Java', stats.java.replace(/\+.*/, '')]];
  $('process').replaceChildren(...shown.map(([label, value]) =>
    element('div', {}, element('dt', {textContent: label}), element('dd', {textContent: value}))));
}

function show(stats) {
  const seconds = last ? (stats.timeMillis - last.timeMillis) / 1000 : 0;
  showProcess(stats, seconds);
  for (const listener of stats.listeners) {
    const before = last && last.listeners.find(other => other.name === listener.name);
    showListener(listener, before, seconds);
  }
  const note = $('note');
  note.hidden = stats.sendfile;
  note.textContent = stats.sendfile ? '' : stats.millrace
    ? 'The files of this application are copied, not sent by sendfile: neither module millrace-files nor millrace-xsendfile is on for them.'
    : 'This server has no connector of Millrace: files are copied, not sent by sendfile.';
  last = stats;
}

function status(text, fault) {
  $('connection').textContent = text;
  $('connection').classList.toggle('fault', Boolean(fault));
}

async function poll() {
  try {
    const answer = await fetch('stats', {headers: {Accept: 'application/json'}});
    if (!answer.ok) {
      throw new Error(`status ${answer.status}`);
    }
    show(await answer.json());
    status(`Asked every ${FALLBACK_MILLIS / 1000} s.`);
  } catch (fault) {
    status(`No figures: ${fault.message}. Trying again.`, true);
  }
  setTimeout(poll, FALLBACK_MILLIS);
}

/** Uses server-sent events, for which the browser reconnects by itself. The page polls when the browser gives up. */
function watch() {
  if (!window.EventSource) {
    poll();
    return;
  }
  const source = new EventSource('stats');
  source.onmessage = event => {
    show(JSON.parse(event.data));
    status('Live, once a second.');
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
      poll();
    } else {
      status('Connection lost. Trying again.', true);
    }
  };
}

/* Load: by this browser, on the listener that it has the page from */

function hintLoad() {
  $('make-load').hidden = false;
  $('load-bounds').hidden = false;
  $('load-bounds').textContent = `The button makes this browser ask for small things, at most ${whole(LOAD.requests)} `
    + `times in ${LOAD.millis / 1000} s.`;
  $('load-command').firstElementChild.textContent =
    `java -jar loadclient.jar http \\\n  -c 8 -d 10s ${new URL('hello', location.href)}`;
}

/** Asks for one thing after the other until it is told to stop. A request that fails ends all. */
async function client(targets, counts, stop) {
  while (!stop.signal.aborted && counts.started < LOAD.requests) {
    try {
      const answer = await fetch(targets[counts.started++ % targets.length], {cache: 'no-store', signal: stop.signal});
      await answer.arrayBuffer();
      if (!answer.ok) {
        throw new Error(`status ${answer.status}`);
      }
      counts.answered++;
    } catch (fault) {
      counts.fault = stop.signal.aborted ? counts.fault : fault.message;
      stop.abort();
    }
    await new Promise(done => setTimeout(done, LOAD.pauseMillis));
  }
}

async function makeLoad() {
  if (load) {
    load.abort();
    return;
  }
  load = new AbortController();
  $('make-load').textContent = 'Stop';
  $('load-status').textContent = 'Making load…';
  $('load-status').classList.remove('fault');
  const targets = ['hello', 'generate-uuid?count=10', ...(loadFile ? [loadFile] : [])];
  const counts = {started: 0, answered: 0, fault: ''};
  const begin = performance.now();
  const end = setTimeout(() => load.abort(), LOAD.millis);
  await Promise.all(Array.from({length: LOAD.parallel}, () => client(targets, counts, load)));
  clearTimeout(end);
  load = null;
  $('make-load').textContent = 'Make some load';
  $('load-status').textContent = counts.fault ? `Stopped: ${counts.fault}`
    : `${whole(counts.answered)} answers in ${((performance.now() - begin) / 1000).toFixed(1)} s.`;
  $('load-status').classList.toggle('fault', Boolean(counts.fault));
}

/* UUIDs */

function nameRow() {
  const named = $('method').value === 'NAME';
  for (const id of ['name', 'namespace']) {
    $(id + '-row').hidden = !named;
    $(id).disabled = !named;
  }
}

async function makeUuids(event) {
  event.preventDefault();
  const query = new URLSearchParams(new FormData($('uuid-form')));
  try {
    const answer = await fetch('generate-uuid?' + query, {headers: {Accept: 'text/xml'}});
    const xml = new DOMParser().parseFromString(await answer.text(), 'application/xml');
    const message = xml.querySelector('error > msg');
    if (!answer.ok || message) {
      throw new Error(message ? message.textContent : `status ${answer.status}`);
    }
    const uuids = [...xml.querySelectorAll('response > uuid')].map(uuid => uuid.textContent);
    $('uuids').hidden = uuids.length === 0;
    $('uuids').replaceChildren(...uuids.map(uuid => element('li', {textContent: uuid})));
    $('uuid-status').textContent = uuids.length === 1 ? '1 UUID.' : `${uuids.length} UUIDs.`;
    $('uuid-status').classList.remove('fault');
    $('copy').hidden = uuids.length === 0;
  } catch (fault) {
    $('uuid-status').textContent = `No UUIDs: ${fault.message}`;
    $('uuid-status').classList.add('fault');
  }
}

async function copyUuids() {
  const text = [...$('uuids').children].map(item => item.textContent).join('\n');
  try {
    await navigator.clipboard.writeText(text);
    $('uuid-status').textContent = 'Copied.';
  } catch (refused) {
    // Only secure contexts may write to the clipboard. Elsewhere the user copies the selected text.
    getSelection().selectAllChildren($('uuids'));
    $('uuid-status').textContent = 'Selected: copy with the keyboard.';
  }
}

/* Files */

function href(file) { return 'files/' + file.name.split('/').map(encodeURIComponent).join('/'); }

async function listFiles() {
  $('files-status').textContent = 'Reading the files…';
  try {
    const answer = await fetch('files/catalog.json');
    if (!answer.ok) {
      throw new Error(`status ${answer.status}`);
    }
    const {files} = await answer.json();
    files.sort((a, b) => a.size - b.size || (a.name < b.name ? -1 : 1));
    $('files').replaceChildren(...files.map(file => element('tr', {},
      element('td', {}, element('a', {href: href(file), textContent: file.name})),
      element('td', {className: 'number', textContent: bytes(file.size)}),
      element('td', {className: 'code', textContent: file.md5}),
      element('td', {}, element('a', {href: 'download?name=' + encodeURIComponent(file.name),
        textContent: 'download', ariaLabel: `Download ${file.name}`})))));
    loadFile = files.filter(file => file.size <= LOAD.fileBytes).map(href).pop() ?? null;
    $('files-status').textContent = files.length === 1 ? '1 file.' : `${files.length} files.`;
  } catch (fault) {
    $('files-status').textContent = `No files: ${fault.message}`;
    $('files-status').classList.add('fault');
  }
}

$('make-load').addEventListener('click', makeLoad);
$('method').addEventListener('change', nameRow);
$('uuid-form').addEventListener('submit', makeUuids);
$('copy').addEventListener('click', copyUuids);
nameRow();
hintLoad();
watch();
listFiles();
