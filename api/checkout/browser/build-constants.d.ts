// Constants that src/dev/package/checkout-bundle.ts writes into the program: addresses of the
// page's files, with content hashes.
declare const STYLE_URL: string;
declare const ICON_URL: string;
declare const DECODER_WORKER_URL: string;
declare const SCANNER_URL: string;
