/** What the static page is given, and the chart libraries, which are scripts of their own. */

export interface Static {
  worker: () => Promise<Worker>;
  files: () => Promise<Record<string, ArrayBuffer>>;
  recorded: () => Promise<Record<string, any>>;
  licenses: () => Promise<string>;
  page: ((opened: string) => Promise<string>) | undefined;
}

declare global {
  var multislotStatic: Static | undefined;
  /** For the console: `await multislotAsk({view: "identity", world: "copy"})`; `multislot.exact.files.answers.REQUEST` lists the keys. */
  var multislotAsk: (request: Record<string, any>) => Promise<Record<string, any>>;
  var vega: any;
  function vegaEmbed(element: HTMLElement, spec: object, options: object): Promise<{ view: any; finalize: () => void }>;
}
