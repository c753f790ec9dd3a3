/** The folder that holds the built page: `index.html` and its assets. */
export declare const webRoot: string;
