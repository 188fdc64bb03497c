// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20 as OpenZeppelinERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20 as SolmateERC20} from "solmate/src/tokens/ERC20.sol";

// Tokens with different storage layouts of balances and allowances; most can be read but not transferred.

contract OpenZeppelinToken is OpenZeppelinERC20("T", "T") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract SolmateToken is SolmateERC20("T", "T", 18) {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Name and symbol first, as in WETH9: slots 3 and 4.
contract WrappedToken {
    string public name = "W";
    string public symbol = "W";
    uint8 public decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
}

/// After base contracts with storage gaps, as in upgradeable tokens: slots 201 and 202.
contract GappedToken {
    uint256[201] private gap;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
}

/// In the ERC-7201 namespace of upgradeable OpenZeppelin 5 tokens.
contract NamespacedToken {
    struct Storage {
        mapping(address => uint256) balances;
        mapping(address => mapping(address => uint256)) allowances;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return at().balances[owner];
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return at().allowances[owner][spender];
    }

    function at() private pure returns (Storage storage location) {
        uint256 id = uint256(keccak256("openzeppelin.storage.ERC20")) - 1;
        bytes32 slot = keccak256(abi.encode(id)) & ~bytes32(uint256(0xff));
        assembly {
            location.slot := slot
        }
    }
}

/// Vyper's hashing, slot before key: slots 5 and 6.
contract VyperToken {
    function balanceOf(address owner) external view returns (uint256) {
        return load(keccak256(abi.encode(5, owner)));
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return load(keccak256(abi.encode(keccak256(abi.encode(6, owner)), spender)));
    }

    function load(bytes32 slot) private view returns (uint256 value) {
        assembly {
            value := sload(slot)
        }
    }
}

/// Hashes of packed addresses with a seed, as in solady.
contract SeededToken {
    function balanceOf(address owner) external view returns (uint256) {
        return load(keccak256(abi.encodePacked(owner, uint64(0), uint32(0x87a211a2))));
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return load(keccak256(abi.encodePacked(owner, uint64(0), uint32(0x7f5e9f20), spender)));
    }

    function load(bytes32 slot) private view returns (uint256 value) {
        assembly {
            value := sload(slot)
        }
    }
}

/// A blocklist flag in the top bit of the balance, as in USDC: slots 9 and 10.
contract FlaggedToken {
    uint256[9] private before;
    mapping(address => uint256) private states;
    mapping(address => mapping(address => uint256)) public allowance;

    function balanceOf(address owner) external view returns (uint256) {
        require(states[owner] >> 255 == 0, "blocked");
        return states[owner] & (2 ** 255 - 1);
    }
}

/// Balances of 96 bits, as in COMP and UNI: slots 1 and 0.
contract SmallToken {
    mapping(address => mapping(address => uint96)) public allowance;
    mapping(address => uint96) public balanceOf;
}

/// Balances grow with an index; the stored value differs from the returned one.
contract RebasingToken {
    mapping(address => uint256) private scaled;
    mapping(address => mapping(address => uint256)) public allowance;

    function balanceOf(address owner) external view returns (uint256) {
        return (scaled[owner] * 105) / 100;
    }
}

/// Stores nothing itself.
contract RemoteToken {
    SolmateToken private immutable store = new SolmateToken();

    function balanceOf(address owner) external view returns (uint256) {
        return store.balanceOf(owner);
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return store.allowance(owner, spender);
    }
}
