// Written into the program by src/dev/package/checkout-bundle.ts: addresses of our own files, named after their content.
declare const STYLE_URL: string;
declare const DECODER_WORKER_URL: string;
